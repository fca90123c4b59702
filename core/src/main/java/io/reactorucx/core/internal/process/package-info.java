/** This process as the kernel shows it: its identity and its limits. */
@NullMarked
package io.reactorucx.core.internal.process;

import org.jspecify.annotations.NullMarked;

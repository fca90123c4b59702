/** Explains why an application does not start. */
@NullMarked
package io.reactorucx.spring.boot.diagnostics;

import org.jspecify.annotations.NullMarked;

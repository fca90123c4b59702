/** Native memory: what holds it, what uses it, and where it is. */
@NullMarked
package io.reactorucx.core.internal.memory;

import org.jspecify.annotations.NullMarked;

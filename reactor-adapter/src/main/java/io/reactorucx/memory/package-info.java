/** Remote memory: exported windows, their descriptors, rights and limits, and the paths to them. */
@NullMarked
package io.reactorucx.memory;

import org.jspecify.annotations.NullMarked;

/**
 * What the packages of this module share and do not export: checks of arguments, and the parts of the C library and of
 * the process that UCX depends on.
 */
@NullMarked
package io.reactorucx.core.internal;

import org.jspecify.annotations.NullMarked;

/**
 * Helpers of this module, which only the module of UCT may use besides: checks of arguments, and the parts of the C
 * library and of the process that UCX depends on.
 */
@NullMarked
package io.reactorucx.core.internal;

import org.jspecify.annotations.NullMarked;

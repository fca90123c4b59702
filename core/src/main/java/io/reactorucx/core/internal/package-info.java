/** What the packages of this module share and nobody else sees: checks of arguments, and the parts of the C library that UCX leans on. */
@NullMarked
package io.reactorucx.core.internal;

import org.jspecify.annotations.NullMarked;

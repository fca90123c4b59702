/** Classes that read the numbers, names and bytes of UCX. */
@NullMarked
package io.reactorucx.uct.internal;

import org.jspecify.annotations.NullMarked;

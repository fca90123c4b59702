/** What UCX and this library refuse or cannot do: the status of UCX and the exceptions that carry it. */
@NullMarked
package io.reactorucx.core.error;

import org.jspecify.annotations.NullMarked;

/** The API's leases and pool, on those of the transport. */
@NullMarked
package io.reactorucx.internal.lease;

import org.jspecify.annotations.NullMarked;

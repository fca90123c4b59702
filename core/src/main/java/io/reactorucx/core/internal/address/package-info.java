/** What peers send as bytes that UCX trusts: addresses of workers and keys, read and checked. */
@NullMarked
package io.reactorucx.core.internal.address;

import org.jspecify.annotations.NullMarked;

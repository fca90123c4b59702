/** The buffer pool: slabs of registered memory, leases on their blocks, and the detection of leaks. */
@NullMarked
package io.reactorucx.transport.buffer;

import org.jspecify.annotations.NullMarked;

/** UCX's shared memory of this host: segments, the queues in them, and the sockets beside them. */
@NullMarked
package io.reactorucx.core.internal.segment;

import org.jspecify.annotations.NullMarked;

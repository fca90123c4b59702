/** Memory and queues that the processes of one host share. */
@NullMarked
package io.reactorucx.core.shm;

import org.jspecify.annotations.NullMarked;

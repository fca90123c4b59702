package io.reactorucx.netty.suite;

import io.netty.buffer.ByteBufAllocator;
import java.util.List;

/** Netty's tests over shared memory. */
class SharedMemorySocketSuiteTest extends SocketSuite {

    @Override
    String[] transports() {
        return new String[] {"shm"};
    }

    @Override
    List<ByteBufAllocator> allocators(List<ByteBufAllocator> all) {
        return all;
    }
}

package io.reactorucx.netty.suite;

import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Netty's tests over shared memory. */
@Tag("slow")
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

package io.reactorucx.netty.suite;

/** Netty's tests over shared memory. */
class SharedMemorySocketSuiteTest extends SocketSuite {

    @Override
    String[] transports() {
        return new String[] {"shm"};
    }
}

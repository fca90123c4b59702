package io.reactorucx.netty.suite;

/** Netty's tests over the transports that fit. */
class DefaultSocketSuiteTest extends SocketSuite {

    @Override
    String[] transports() {
        return new String[] {};
    }
}

package io.reactorucx.netty.suite;

/** Netty's tests over tcp. */
class TcpSocketSuiteTest extends SocketSuite {

    @Override
    String[] transports() {
        return new String[] {"tcp"};
    }
}

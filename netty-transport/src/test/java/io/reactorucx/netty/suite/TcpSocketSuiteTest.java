package io.reactorucx.netty.suite;

import org.junit.jupiter.api.Tag;

/** Netty's tests over tcp. */
@Tag("slow")
class TcpSocketSuiteTest extends SocketSuite {

    @Override
    String[] transports() {
        return new String[] {"tcp"};
    }
}

package io.reactorucx.netty.suite;

import org.junit.jupiter.api.Tag;

/** Netty's tests over the transports that fit. */
@Tag("slow")
class DefaultSocketSuiteTest extends SocketSuite {

    @Override
    String[] transports() {
        return new String[] {};
    }
}

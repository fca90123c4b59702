package io.reactorucx.netty.suite;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.ServerSocketSuspendTest;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputByPeerTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputBySelfTest;
import io.netty.testsuite.transport.socket.SocketSpdyEchoTest;
import io.netty.testsuite.transport.socket.SocketSslClientRenegotiateTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketSslSessionReuseTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import io.netty.testsuite.transport.socket.TrafficShapingHandlerTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Netty's own tests of socket transports, over some transports of UCX, each with one loop for both sides and with two.
 */
abstract class SocketSuite extends FirstSuite {

    @Nested
    class SocketReadPending extends SocketReadPendingTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return adaptive(super.newAllocators());
        }
    }

    @Nested
    class SocketRst extends SocketRstTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketSpdyEcho extends SocketSpdyEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketSslClientRenegotiate extends SocketSslClientRenegotiateTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketSslEcho extends SocketSslEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return adaptive(super.newAllocators());
        }
    }

    @Nested
    class SocketSslGreeting extends SocketSslGreetingTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketSslSessionReuse extends SocketSslSessionReuseTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        /** Without OpenSSL, which is no dependency here. */
        @Override
        @ParameterizedTest
        @MethodSource("jdkOnly")
        public void testSslSessionTrustManagerResumption(SslContextBuilder server, SslContextBuilder client,
                TestInfo test) throws Throwable {
            super.testSslSessionTrustManagerResumption(server, client, test);
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketStartTls extends SocketStartTlsTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketStringEcho extends SocketStringEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class TrafficShapingHandler extends TrafficShapingHandlerTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return adaptive(super.newAllocators());
        }
    }

    @Nested
    class SocketChannelNotYetConnected extends SocketChannelNotYetConnectedTest {

        private boolean plain;

        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return plain ? plainClients() : clients();
        }

        @Override
        @Test
        public void readMustBePendingUntilChannelIsActive(TestInfo test) throws Throwable {
            plain = true;
            super.readMustBePendingUntilChannelIsActive(test);
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return adaptive(super.newAllocators());
        }
    }

    @Nested
    class SocketConnectionAttempt extends SocketConnectionAttemptTest {

        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clients();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return adaptive(super.newAllocators());
        }
    }

    @Nested
    class SocketShutdownOutputBySelf extends SocketShutdownOutputBySelfTest {

        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return plainClients();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class WriteBeforeRegistered extends WriteBeforeRegisteredTest {

        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clients();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class ServerSocketSuspend extends ServerSocketSuspendTest {

        @Override
        protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
            return plainServers();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketShutdownOutputByPeer extends SocketShutdownOutputByPeerTest {

        @Override
        protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
            return plainServers();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }
}

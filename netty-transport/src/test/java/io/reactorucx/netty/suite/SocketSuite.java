package io.reactorucx.netty.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.ServerSocketSuspendTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
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
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Netty's own tests of socket transports, over some transports of UCX, each with one loop for both sides and with two.
 */
abstract class SocketSuite {

    private static final SuiteLoops LOOPS = new SuiteLoops();
    /** A port of this host that lets no connection come about. */
    private static final FullListener FULL = new FullListener();

    static {
        // Before a class of Netty's suite reads them; their defaults need a network that drops packets.
        System.setProperty("io.netty.testsuite.badHost", FULL.host());
        System.setProperty("io.netty.testsuite.badPort", String.valueOf(FULL.port()));
    }

    /** Transports of UCX, none for those that fit. */
    abstract String[] transports();

    @AfterAll
    static void endLoops() {
        LOOPS.end();
    }

    private List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs() {
        return LOOPS.pairs(transports());
    }

    private List<BootstrapFactory<Bootstrap>> clients() {
        return LOOPS.clients(transports());
    }

    private List<BootstrapFactory<ServerBootstrap>> servers() {
        return LOOPS.servers(transports());
    }

    @Nested
    class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketAddresses extends SocketAddressesTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected void assertAddress(SocketAddress address) {
            assertThat(address).isInstanceOfSatisfying(InetSocketAddress.class,
                    inet -> assertThat(inet.getPort()).isPositive());
        }
    }

    @Nested
    class SocketAutoRead extends SocketAutoReadTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketBufRelease extends SocketBufReleaseTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketCancelWrite extends SocketCancelWriteTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketCloseForcibly extends SocketCloseForciblyTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketConditionalWritability extends SocketConditionalWritabilityTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketConnect extends SocketConnectTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketDataReadInitialState extends SocketDataReadInitialStateTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketEcho extends SocketEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketExceptionHandling extends SocketExceptionHandlingTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketFileRegion extends SocketFileRegionTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketFixedLengthEcho extends SocketFixedLengthEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketGatheringWrite extends SocketGatheringWriteTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketHalfClosed extends SocketHalfClosedTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        @Test
        @Disabled("it blocks the loop until the peer has closed, and its next write has to know that")
        public void testAutoCloseFalseDoesShutdownOutput(TestInfo test) {
        }
    }

    @Nested
    class SocketMultipleConnect extends SocketMultipleConnectTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketObjectEcho extends SocketObjectEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketReadPending extends SocketReadPendingTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketRst extends SocketRstTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketSpdyEcho extends SocketSpdyEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketSslClientRenegotiate extends SocketSslClientRenegotiateTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketSslEcho extends SocketSslEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketSslGreeting extends SocketSslGreetingTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
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
    }

    @Nested
    class SocketStartTls extends SocketStartTlsTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketStringEcho extends SocketStringEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class TrafficShapingHandler extends TrafficShapingHandlerTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }
    }

    @Nested
    class SocketChannelNotYetConnected extends SocketChannelNotYetConnectedTest {

        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clients();
        }

        @Override
        @Test
        @Disabled("its server is a plain socket, which speaks no UCX")
        public void readMustBePendingUntilChannelIsActive(TestInfo test) {
        }
    }

    @Nested
    class SocketConnectionAttempt extends SocketConnectionAttemptTest {

        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clients();
        }
    }

    @Nested
    class SocketShutdownOutputBySelf extends SocketShutdownOutputBySelfTest {

        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clients();
        }

        @Override
        @Test
        @Disabled("its server is a plain socket, which speaks no UCX")
        public void testShutdownOutput(TestInfo test) {
        }

        @Override
        @Test
        @Disabled("its server is a plain socket, which speaks no UCX")
        public void testShutdownOutputAfterClosed(TestInfo test) {
        }

        @Override
        @Test
        @Disabled("its server is a plain socket, which speaks no UCX")
        public void testWriteAfterShutdownOutputNoWritabilityChange(TestInfo test) {
        }

        @Override
        @Test
        @Disabled("its server is a plain socket, which speaks no UCX")
        public void testShutdownOutputSoLingerNoAssertError(TestInfo test) {
        }

        @Override
        @Test
        @Disabled("its server is a plain socket, which speaks no UCX")
        public void testShutdownSoLingerNoAssertError(TestInfo test) {
        }
    }

    @Nested
    class WriteBeforeRegistered extends WriteBeforeRegisteredTest {

        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clients();
        }
    }

    @Nested
    class ServerSocketSuspend extends ServerSocketSuspendTest {

        @Override
        protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
            return servers();
        }

        @Override
        @Test
        @Disabled("its client is a plain socket, which speaks no UCX")
        public void testSuspendAndResumeAccept(TestInfo test) {
        }
    }

    @Nested
    class SocketShutdownOutputByPeer extends SocketShutdownOutputByPeerTest {

        @Override
        protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
            return servers();
        }

        @Override
        @Test
        @Disabled("its client is a plain socket, which speaks no UCX")
        public void testShutdownOutput(TestInfo test) {
        }

        @Override
        @Test
        @Disabled("its client is a plain socket, which speaks no UCX")
        public void testShutdownOutputWithoutOption(TestInfo test) {
        }
    }
}

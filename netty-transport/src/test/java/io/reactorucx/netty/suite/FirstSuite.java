package io.reactorucx.netty.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Netty's own tests of sockets, the first half of them by their names. */
abstract class FirstSuite extends SuiteSupport {

    @Nested
    class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {

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

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketAutoRead extends SocketAutoReadTest {

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
    class SocketBufRelease extends SocketBufReleaseTest {

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
    class SocketCancelWrite extends SocketCancelWriteTest {

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
    class SocketCloseForcibly extends SocketCloseForciblyTest {

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
    class SocketConditionalWritability extends SocketConditionalWritabilityTest {

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
    class SocketConnect extends SocketConnectTest {

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
    class SocketDataReadInitialState extends SocketDataReadInitialStateTest {

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
    class SocketEcho extends SocketEchoTest {

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
    class SocketExceptionHandling extends SocketExceptionHandlingTest {

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
    class SocketFileRegion extends SocketFileRegionTest {

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
    class SocketFixedLengthEcho extends SocketFixedLengthEchoTest {

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
    class SocketGatheringWrite extends SocketGatheringWriteTest {

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

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketMultipleConnect extends SocketMultipleConnectTest {

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
    class SocketObjectEcho extends SocketObjectEchoTest {

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return pairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }
}

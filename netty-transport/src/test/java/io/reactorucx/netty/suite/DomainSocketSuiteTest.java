package io.reactorucx.netty.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Those of Netty's tests of sockets that it runs over Unix domain sockets, too. */
@Tag("slow")
class DomainSocketSuiteTest extends SuiteSupport {

    private static final AtomicInteger NEXT = new AtomicInteger();

    private static Path folder;

    @BeforeAll
    static void makeFolder() throws IOException {
        folder = Files.createTempDirectory("ucx");
    }

    /** The paths to which a test binds its clients stay, as with epoll; those of servers do not. */
    @AfterAll
    static void deleteFolder() throws IOException {
        // Not all of Netty's tests wait until their servers have closed.
        endLoops();
        try (var left = Files.list(folder)) {
            for (Path each : left.toList()) {
                Files.delete(each);
            }
        }
        Files.delete(folder);
    }

    @Override
    String[] transports() {
        return new String[0];
    }

    private static SocketAddress newAddress() {
        return new DomainSocketAddress(folder.resolve("s" + NEXT.incrementAndGet()).toString());
    }

    @Nested
    class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketAddresses extends SocketAddressesTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected void assertAddress(SocketAddress address) {
            assertThat(((DomainSocketAddress) address).path()).isNotNull();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketDataReadInitialState extends SocketDataReadInitialStateTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketEcho extends SocketEchoTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketFileRegion extends SocketFileRegionTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketFixedLengthEcho extends SocketFixedLengthEchoTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketGatheringWrite extends SocketGatheringWriteTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketObjectEcho extends SocketObjectEchoTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketSslEcho extends SocketSslEchoTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketSslGreeting extends SocketSslGreetingTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketStartTls extends SocketStartTlsTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }

    @Nested
    class SocketStringEcho extends SocketStringEchoTest {

        @Override
        protected SocketAddress newSocketAddress() {
            return newAddress();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return domainPairs();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return allocators(super.newAllocators());
        }
    }
}

package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.security.PeerCertificates;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.TestCertificates;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.EncryptionStatistics;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loops that know each other by certificates. */
@Tag("slow")
class SecuredLoopsTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final TestCertificates OURS = new TestCertificates("ours");
    private static final TestCertificates THEIRS = new TestCertificates("theirs");

    private static TlsConfig tls(String subject, TestCertificates authority) {
        return TlsConfig.of(authority.context(authority.issue(subject)));
    }

    private static TestLoops loops(String name, @Nullable TlsConfig tls) {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTimeouts(TestTime.seconds(2), Duration.ofSeconds(2),
                Duration.ofSeconds(10), Duration.ofMinutes(1));
        return new TestLoops(name, 1, tls == null ? config : config.withTls(tls));
    }

    @Test
    void channelKnowsItsPeer() {
        try (TestLoops serverLoops = loops("server", tls("server", OURS));
                TestLoops clientLoops = loops("client", tls("client", OURS))) {
            Channel server = EchoChannel.serve(serverLoops);
            EchoChannel channel = EchoChannel.connect(clientLoops, server.localAddress());
            channel.echo();

            UcxSocketChannel ours = (UcxSocketChannel) channel.channel();
            Optional<PeerCertificates> peer = ours.eventLoop().submit(ours::peerCertificates).syncUninterruptibly()
                    .getNow();
            assertThat(peer).hasValueSatisfying(each ->
                    assertThat(each.principal().getName()).isEqualTo("CN=server"));
            ours.close().syncUninterruptibly();
            server.close().syncUninterruptibly();
            serverLoops.awaitNoChannels();
            clientLoops.awaitNoChannels();
        }
    }

    @Test
    void metersShowWhatIsEncrypted() {
        try (TestLoops serverLoops = loops("server", tls("server", OURS).withEncryption(EncryptionMode.REQUIRED));
                TestLoops clientLoops = loops("client", tls("client", OURS))) {
            SocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            // What it reads ends here, so that the two directions differ.
            Channel server = serverLoops.server(any).childHandler(new ChannelInboundHandlerAdapter()).bind(any)
                    .syncUninterruptibly().channel();
            Channel client = clientLoops.client(server.localAddress()).handler(new ChannelInboundHandlerAdapter())
                    .connect(server.localAddress()).syncUninterruptibly().channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1 << 20])).syncUninterruptibly();
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new UcxNettyMetrics(clientLoops.factory()).bindTo(registry);

            await().atMost(LIMIT).untilAsserted(() -> {
                EncryptionStatistics now = clientLoops.factory().statistics().getFirst().encryption();
                assertThat(now.sealedRecords()).isGreaterThan(now.openedRecords());
                assertThat(now.sealedBytes()).isGreaterThan(now.openedBytes());
                assertThat(counted(registry, UcxNettyMeters.ENCRYPTED_LINKS)).isEqualTo(1);
                assertThat(counted(registry, UcxNettyMeters.BROKEN_ENCRYPTION)).isZero();
                assertThat(counted(registry, UcxNettyMeters.SEALED_RECORDS)).isEqualTo(now.sealedRecords());
                assertThat(counted(registry, UcxNettyMeters.SEALED_BYTES)).isEqualTo(now.sealedBytes());
                assertThat(counted(registry, UcxNettyMeters.OPENED_RECORDS)).isEqualTo(now.openedRecords());
                assertThat(counted(registry, UcxNettyMeters.OPENED_BYTES)).isEqualTo(now.openedBytes());
                assertThat(registry.get(UcxNettyMeters.ENCRYPTION_MEMORY.getName()).gauge().value())
                        .isEqualTo(now.memoryBytes()).isPositive();
            });
        }
    }

    private static double counted(SimpleMeterRegistry registry, UcxNettyMeters meter) {
        return registry.get(meter.getName()).functionCounter().count();
    }

    @ParameterizedTest
    @CsvSource({"ours, theirs", "theirs, ours", "ours, none", "none, ours"})
    void noByteGoesBetweenOthers(String ofServer, String ofClient) {
        try (TestLoops serverLoops = loops("server", named(ofServer));
                TestLoops clientLoops = loops("client", named(ofClient))) {
            List<Throwable> errors = TestLoops.refusals(serverLoops, clientLoops, "TLS");
            await().atMost(LIMIT).untilAsserted(() ->
                    assertThat(errors).singleElement().isInstanceOf(IOException.class));
        }
    }

    private static @Nullable TlsConfig named(String authority) {
        return authority.equals("none") ? null : tls("peer", authority.equals("ours") ? OURS : THEIRS);
    }

    @Test
    void plainPeersAreNotTakenBesideIt() {
        UcxNettyConfig secured = UcxNettyConfig.DEFAULT.withTls(tls("server", OURS));

        assertThatThrownBy(() -> secured.withPlainTcp(UcxPlainTcpConfig.DEFAULT.withAccepted(true)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("plainTcp.accepted true");
        assertThatThrownBy(() -> secured.acceptsPlain(true)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PLAIN_TCP true");
    }
}

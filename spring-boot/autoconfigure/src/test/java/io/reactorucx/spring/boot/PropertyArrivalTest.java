package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnectionPoolBuilder;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.web.UcxWebAutoConfiguration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The value of each property arrives in the object that it is for. */
@Tag("slow")
class PropertyArrivalTest {

    private static final String SECRET = "a secret of at least 16 bytes";

    /** What a property is for. */
    private enum Target { BUILDER, SERVER, CLIENT, POOL, LOOPS, SHUTDOWN }

    /**
     * A property.
     *
     * @param name its name
     * @param value its value, none of the defaults
     * @param target what it is for
     * @param path from the target to the value
     * @param expected the value there
     */
    private record Row(String name, String value, Target target, String path, String expected) {
    }

    /** Properties whose effect other tests look at. */
    private static final List<String> ELSEWHERE = List.of(
            // FallbackTest
            "reactor.ucx.fallback", "reactor.ucx.library-path",
            // UcxDiscoveryAutoConfigurationTest
            "reactor.ucx.discovery.connect-timeout", "reactor.ucx.discovery.enabled",
            "reactor.ucx.discovery.max-instances", "reactor.ucx.discovery.refresh-interval",
            "reactor.ucx.discovery.retry-after",
            // SslBundleTest
            "reactor.ucx.ssl.bundle", "reactor.ucx.ssl.cipher", "reactor.ucx.ssl.client-certificate-required",
            "reactor.ucx.ssl.encryption", "reactor.ucx.ssl.server-name",
            // UcxWebAutoConfigurationTest
            "reactor.ucx.web.client.enabled", "reactor.ucx.web.server.enabled",
            // UcxRSocketAutoConfigurationTest
            "reactor.ucx.rsocket.server.address", "reactor.ucx.rsocket.server.enabled",
            "reactor.ucx.rsocket.server.fragment-size", "reactor.ucx.rsocket.server.port");

    private static final List<Row> ROWS = List.of(
            row("transports", "tcp,self", Target.BUILDER, "config.settings.TLS", "tcp,self"),
            row("transports", "tcp,self", Target.LOOPS, "transports", "[tcp, self]"),
            row("required-transports", "rdma,tcp", Target.SERVER, "config.requirement.kinds", "[RDMA, TCP]"),
            row("required-transports", "shared-memory", Target.CLIENT, "config.requirement.kinds",
                    "[SHARED_MEMORY, SELF]"),
            row("required-transports", "rdma", Target.LOOPS, "requiredTransports", "[RDMA]"),
            row("network-devices", "lo", Target.BUILDER, "networkDevices.names", "[lo]"),
            row("network-devices", "", Target.BUILDER, "networkDevices.names", "[]"),
            row("network-devices", "lo", Target.LOOPS, "networkDevices", "[lo]"),
            row("settings.RNDV_THRESH", "64k", Target.BUILDER, "config.settings.RNDV_THRESH", "64k"),
            row("client-share", "0.25", Target.BUILDER, "clientShare", "0.25"),
            row("client-share", "0.25", Target.LOOPS, "clientShare", "0.25"),
            row("engine.count", "3", Target.BUILDER, "engineCount", "3"),
            row("engine.name", "store", Target.BUILDER, "engine.name", "store"),
            row("engine.wait-strategy", "busy-spin", Target.BUILDER, "engine.waitStrategy", "BUSY_SPIN"),
            row("engine.spins", "7", Target.BUILDER, "engine.spins", "7"),
            row("engine.command-queue-capacity", "512", Target.BUILDER, "engine.commandQueueCapacity", "512"),
            row("engine.max-in-flight", "77", Target.BUILDER, "engine.maxInFlight", "77"),
            row("engine.stall-threshold", "3s", Target.BUILDER, "stallThreshold", "PT3S"),
            row("engine.close-timeout", "3s", Target.BUILDER, "engine.closeTimeout", "PT3S"),
            row("buffers.max-size", "8MB", Target.BUILDER, "maxBufferBytes", "8388608"),
            row("buffers.shared", "false", Target.BUILDER, "sharedBuffers", "false"),
            row("buffers.max-mapped-size", "1MB", Target.BUILDER, "maxMappedBytes", "1048576"),
            row("buffers.ring-size", "1MB", Target.BUILDER, "ringBytes", "1048576"),
            row("buffers.max-waiters", "5", Target.BUILDER, "maxBufferWaiters", "5"),
            row("buffers.leak-detection", "paranoid", Target.BUILDER, "leakDetection", "PARANOID"),
            row("security.threads", "9", Target.BUILDER, "authenticators.threads", "9"),
            row("security.max-queued-steps", "11", Target.BUILDER, "authenticators.queuedSteps", "11"),
            row("security.shared-secret", SECRET, Target.SERVER, "config.protocol.authentication.method",
                    "hmac-sha-256"),
            row("security.shared-secret", SECRET, Target.CLIENT, "config.protocol.authentication.method",
                    "hmac-sha-256"),
            row("security.shared-secret", SECRET, Target.LOOPS, "authenticator", "hmac-sha-256"),
            row("connection.heartbeat-interval", "2s", Target.SERVER, "config.protocol.heartbeatInterval", "PT2S"),
            row("connection.heartbeat-interval", "2s", Target.CLIENT, "config.protocol.heartbeatInterval", "PT2S"),
            row("connection.close-timeout", "4s", Target.SERVER, "config.closeTimeout", "PT4S"),
            row("connection.close-timeout", "4s", Target.CLIENT, "config.closeTimeout", "PT4S"),
            row("connection.max-message-size", "1MB", Target.SERVER, "config.messages.maxMessageBytes", "1048576"),
            row("connection.max-message-size", "1MB", Target.CLIENT, "config.messages.maxMessageBytes", "1048576"),
            row("connection.window-messages", "33", Target.SERVER, "config.messages.windowMessages", "33"),
            row("connection.window-messages", "33", Target.CLIENT, "config.messages.windowMessages", "33"),
            row("connection.window-size", "128KB", Target.SERVER, "config.messages.windowBytes", "131072"),
            row("connection.window-size", "128KB", Target.CLIENT, "config.messages.windowBytes", "131072"),
            row("server.address", "127.0.0.2", Target.SERVER, "bindAddress.address.hostAddress", "127.0.0.2"),
            row("server.port", "4711", Target.SERVER, "bindAddress.port", "4711"),
            row("server.max-connections", "12", Target.SERVER, "handling.maxConnections", "12"),
            row("server.max-connections-per-client", "5", Target.SERVER, "handling.maxConnectionsPerClient", "5"),
            row("server.max-pending-handshakes", "13", Target.SERVER, "maxPendingHandshakes", "13"),
            row("server.handshake-timeout", "6s", Target.SERVER, "config.handshakeTimeout", "PT6S"),
            row("client.host", "node-1", Target.CLIENT, "remoteAddress.hostString", "node-1"),
            row("client.port", "4712", Target.CLIENT, "remoteAddress.port", "4712"),
            row("client.connect-timeout", "7s", Target.CLIENT, "config.handshakeTimeout", "PT7S"),
            row("pool.min-connections", "2", Target.POOL, "config.minConnections", "2"),
            row("pool.max-connections", "3", Target.POOL, "config.maxConnections", "3"),
            row("pool.max-pending-acquires", "4", Target.POOL, "config.pendingAcquireMaxCount", "4"),
            row("pool.pending-acquire-timeout", "5s", Target.POOL, "config.pendingAcquireTimeout", "PT5S"),
            row("pool.max-idle-time", "6s", Target.POOL, "config.eviction.maxIdleTime", "PT6S"),
            row("pool.max-life-time", "7s", Target.POOL, "config.eviction.maxLifeTime", "PT7S"),
            row("shutdown.grace-period", "1s", Target.SHUTDOWN, "gracePeriod", "PT1S"),
            row("shutdown.timeout", "21s", Target.SHUTDOWN, "timeout", "PT21S"),
            row("netty.loops", "3", Target.LOOPS, "loops", "3"),
            row("netty.name", "web", Target.LOOPS, "name", "web"),
            row("netty.spin", "20us", Target.LOOPS, "spin", "PT0.00002S"),
            row("netty.window-size", "64KB", Target.LOOPS, "windowBytes", "65536"),
            row("netty.handshake-timeout", "2s", Target.LOOPS, "handshakeTimeout", "PT2S"),
            row("netty.close-timeout", "3s", Target.LOOPS, "closeTimeout", "PT3S"),
            row("netty.heartbeat-interval", "4s", Target.LOOPS, "heartbeatInterval", "PT4S"),
            row("netty.link-idle-timeout", "5s", Target.LOOPS, "linkIdleTimeout", "PT5S"),
            row("netty.max-links", "6", Target.LOOPS, "maxLinks", "6"),
            row("netty.max-channels", "7", Target.LOOPS, "maxChannels", "7"),
            row("netty.max-buffer-size", "8MB", Target.LOOPS, "maxBufferBytes", "8388608"),
            row("netty.shared-buffers", "false", Target.LOOPS, "sharedBuffers", "false"),
            row("netty.ring-size", "1MB", Target.LOOPS, "ringBytes", "1048576"),
            row("netty.plain-tcp.accepted", "true", Target.LOOPS, "plainTcp.accepted", "true"),
            row("netty.plain-tcp.decision-time", "50ms", Target.LOOPS, "plainTcp.decisionTime", "PT0.05S"),
            row("netty.plain-tcp.remotes", "*:443,db:5432", Target.LOOPS, "plainTcp.remotes.rules",
                    "[Rule[host=*, port=443], Rule[host=db, port=5432]]"));

    private static Row row(String name, String value, Target target, String path, String expected) {
        return new Row("reactor.ucx." + name, value, target, path, expected);
    }

    static Stream<Row> rows() {
        return ROWS.stream();
    }

    private static ApplicationContextRunner runner() {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class,
                        UcxWebAutoConfiguration.class))
                .withBean(UcxResources.class, () -> SharedResources.INSTANCE)
                .withPropertyValues("reactor.ucx.web.server.enabled=true",
                        "spring.reactor.netty.shutdown-quiet-period=0s", "reactor.ucx.client.host=127.0.0.1",
                        "reactor.ucx.client.port=4711");
    }

    @ParameterizedTest
    @MethodSource("rows")
    void arrives(Row row) {
        runner().run(context -> assertThat(value(context, row)).asString().isNotEqualTo(row.expected()));
        runner().withPropertyValues(row.name() + "=" + row.value()).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(value(context, row)).hasToString(row.expected());
        });
    }

    private static Object value(ApplicationContext context, Row row) {
        return switch (row.target()) {
            case BUILDER -> extract(context.getBean(ResourcesFactory.class).builder(), row.path());
            case SERVER -> extract(context.getBean(UcxServer.class), row.path());
            case CLIENT -> extract(context.getBean(UcxClient.class), row.path());
            case POOL -> extract(context.getBean(UcxConnectionPoolBuilder.class), row.path());
            case SHUTDOWN -> extract(context.getBean(UcxShutdownLifecycle.class), row.path());
            case LOOPS -> loops(context.getBean(UcxLoopResources.class), row.path());
        };
    }

    private static Object loops(UcxLoopResources loops, String path) {
        UcxNettyConfig config = loops.factory().config();
        return switch (path) {
            case "loops" -> loops.factory().statistics().size();
            case "name" -> threadName(loops).replaceAll("-.*", "");
            default -> extract(config, path);
        };
    }

    private static String threadName(UcxLoopResources loops) {
        return CompletableFuture.supplyAsync(() -> Thread.currentThread().getName(), loops.onServer(true))
                .orTimeout(10, TimeUnit.SECONDS).join();
    }

    /** A missing part has the value null. */
    private static Object extract(Object from, String path) {
        Object at = from;
        for (String part : path.split("[.]")) {
            if (at == null) {
                return "null";
            }
            at = at instanceof Map<?, ?> map ? map.get(part) : assertThat(at).extracting(part).actual();
        }
        return String.valueOf(at);
    }

    /** A property that is in no row could have no effect. */
    @Test
    void everyPropertyHasARow() throws IOException {
        List<String> rows = new ArrayList<>(ELSEWHERE);
        ROWS.forEach(row -> rows.add(row.name().replaceAll("settings[.].*", "settings")));

        assertThat(Metadata.properties().stream().map(Metadata.Property::name)).isNotEmpty().isSubsetOf(rows);
        assertThat(rows).isSubsetOf(Metadata.properties().stream().map(Metadata.Property::name).toList());
    }

    /** What stands in the table of the documentation is what the library does without a property. */
    @Test
    void defaultsAreThoseOfTheLibrary() {
        runner().run(context -> {
            UcxNettyConfig loops = context.getBean(UcxLoopResources.class).factory().config();
            assertThat(loops).usingRecursiveComparison().ignoringFields("plainTcp.remotes")
                    .isEqualTo(UcxNettyConfig.DEFAULT);
            assertThat(context.getBean(UcxServer.class)).usingRecursiveComparison()
                    .isEqualTo(UcxServer.create(SharedResources.INSTANCE));
            assertThat(context.getBean(UcxClient.class)).usingRecursiveComparison().ignoringFields("remoteAddress")
                    .isEqualTo(UcxClient.create(SharedResources.INSTANCE));
            assertThat(context.getBean(ResourcesFactory.class).builder()).usingRecursiveComparison()
                    .isEqualTo(UcxResources.builder());
        });
    }
}

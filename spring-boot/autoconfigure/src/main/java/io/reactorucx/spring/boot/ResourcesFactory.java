package io.reactorucx.spring.boot;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.UcxServer;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.TlsConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Makes resources, and the templates of servers and clients, of the properties. */
final class ResourcesFactory {

    private static final int MIN_ENGINE_NAME = 1;

    private final UcxProperties properties;
    private final PropertyTarget target = new PropertyTarget("reactor.ucx");

    ResourcesFactory(UcxProperties properties) {
        this.properties = properties;
    }

    /** Returns a builder with the values of the properties. It loads nothing of UCX. */
    UcxResourcesBuilder builder() {
        UcxResourcesBuilder builder = UcxResources.builder();
        engine(builder);
        buffers(builder);
        if (!properties.transports().isEmpty()) {
            target.set("transports", properties.transports().toArray(String[]::new), builder::transports);
        }
        if (properties.networkDevices() != null) {
            target.set("network-devices", properties.networkDevices().toArray(String[]::new), builder::networkDevices);
        }
        properties.settings().forEach((key, value) ->
                target.set("settings." + key, value, each -> builder.setting(key, each)));
        target.set("client-share", properties.clientShare(), builder::clientShare);
        UcxProperties.Security security = properties.security();
        target.set("security.threads", security.threads(), threads -> builder.authenticatorLimits(threads, 1));
        target.set("security.max-queued-steps", security.maxQueuedSteps(),
                steps -> builder.authenticatorLimits(security.threads(), steps));
        return builder;
    }

    private void engine(UcxResourcesBuilder builder) {
        UcxProperties.Engine from = properties.engine();
        target.set("engine.count", from.count(), builder::engines);
        EngineConfig[] config = {EngineConfig.of("")};
        target.set("engine.name", from.name(), name -> config[0] = EngineConfig.of(checkName(name)));
        config[0] = config[0].withWaitStrategy(from.waitStrategy());
        change("engine.spins", from.spins(), config, spins -> config[0].withIdleRounds(spins, config[0].yields()));
        change("engine.command-queue-capacity", from.commandQueueCapacity(), config,
                capacity -> config[0].withLimits(capacity, config[0].maxInFlight()));
        change("engine.max-in-flight", from.maxInFlight(), config,
                count -> config[0].withLimits(config[0].commandQueueCapacity(), count));
        change("engine.close-timeout", from.closeTimeout(), config, timeout -> config[0].withCloseTimeout(timeout));
        builder.engineConfig(config[0]);
        target.set("engine.stall-threshold", from.stallThreshold(), builder::stallThreshold);
    }

    private static String checkName(String name) {
        if (name.length() < MIN_ENGINE_NAME) {
            throw new IllegalArgumentException("name: at least " + MIN_ENGINE_NAME + " character");
        }
        return name;
    }

    private <V> void change(String name, @Nullable V value, EngineConfig[] config,
            Function<V, EngineConfig> change) {
        target.set(name, value, each -> config[0] = change.apply(each));
    }

    private void buffers(UcxResourcesBuilder builder) {
        UcxProperties.Buffers from = properties.buffers();
        target.set("buffers.max-size", from.maxSize(), size -> builder.maxBufferBytes(size.toBytes()));
        builder.sharedBuffers(from.shared());
        target.set("buffers.max-mapped-size", from.maxMappedSize(), size -> builder.maxMappedBytes(size.toBytes()));
        target.set("buffers.ring-size", from.ringSize(), size -> builder.ringBytes(bytes(size)));
        target.set("buffers.max-waiters", from.maxWaiters(), builder::maxBufferWaiters);
        target.set("buffers.leak-detection", from.leakDetection(), builder::leakDetection);
    }

    /** Returns the template of servers. */
    UcxServer server(UcxResources resources, @Nullable Authenticator authenticator, @Nullable TlsConfig tls) {
        UcxProperties.Server from = properties.server();
        Template<UcxServer> made = new Template<>(UcxServer.create(resources));
        InetAddress address = from.address() == null ? InetAddress.getLoopbackAddress() : from.address();
        made.change("server.port", from.port(),
                (server, port) -> server.bindAddress(new InetSocketAddress(address, port)));
        made.change("server.max-connections", from.maxConnections(), UcxServer::maxConnections);
        made.change("server.max-connections-per-client", from.maxConnectionsPerClient(),
                UcxServer::maxConnectionsPerClient);
        made.change("server.max-pending-handshakes", from.maxPendingHandshakes(), UcxServer::maxPendingHandshakes);
        made.change("server.handshake-timeout", from.handshakeTimeout(), UcxServer::handshakeTimeout);
        made.change("required-transports", required(), UcxServer::require);
        UcxProperties.Connection common = properties.connection();
        made.change("connection.heartbeat-interval", common.heartbeatInterval(), UcxServer::heartbeatInterval);
        made.change("connection.close-timeout", common.closeTimeout(), UcxServer::closeTimeout);
        made.change("connection.max-message-size", common.maxMessageSize(),
                (server, size) -> server.maxMessageBytes(size.toBytes()));
        made.change("connection.window-size", common.windowSize(),
                (server, size) -> server.messageWindow(1, bytes(size)));
        made.change("connection.window-messages", common.windowMessages(),
                (server, messages) -> server.messageWindow(messages, bytes(common.windowSize())));
        made.change("security", authenticator, UcxServer::authenticator);
        made.change("ssl", tls, UcxServer::secure);
        return made.value;
    }

    /** Returns the template of clients. */
    UcxClient client(UcxResources resources, @Nullable Authenticator authenticator, @Nullable TlsConfig tls) {
        UcxProperties.Client from = properties.client();
        Template<UcxClient> made = new Template<>(UcxClient.create(resources));
        String host = from.host();
        if (host != null) {
            made.change("client.port", from.port(), (client, port) -> client.remoteAddress(host, port));
        }
        made.change("client.connect-timeout", from.connectTimeout(), UcxClient::connectTimeout);
        made.change("required-transports", required(), UcxClient::require);
        UcxProperties.Connection common = properties.connection();
        made.change("connection.heartbeat-interval", common.heartbeatInterval(), UcxClient::heartbeatInterval);
        made.change("connection.close-timeout", common.closeTimeout(), UcxClient::closeTimeout);
        made.change("connection.max-message-size", common.maxMessageSize(),
                (client, size) -> client.maxMessageBytes(size.toBytes()));
        made.change("connection.window-size", common.windowSize(),
                (client, size) -> client.messageWindow(1, bytes(size)));
        made.change("connection.window-messages", common.windowMessages(),
                (client, messages) -> client.messageWindow(messages, bytes(common.windowSize())));
        made.change("security", authenticator, UcxClient::authenticator);
        made.change("ssl", tls, UcxClient::secure);
        return made.value;
    }

    private UcxTransportKind[] required() {
        return properties.requiredTransports().toArray(UcxTransportKind[]::new);
    }

    private static int bytes(DataSize size) {
        if (size.toBytes() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(size + ": must be below 2 GiB");
        }
        return (int) size.toBytes();
    }

    /** Changes an immutable value. */
    private final class Template<T> {

        private T value;

        Template(T value) {
            this.value = value;
        }

        <V> void change(String name, @Nullable V property, BiFunction<T, V, T> change) {
            target.set(name, property, each -> value = change.apply(value, each));
        }
    }
}

package io.reactorucx.spring.boot.web;

import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.security.Authenticator;
import io.reactorucx.spring.boot.PropertyTarget;
import io.reactorucx.spring.boot.UcxNettyProperties;
import io.reactorucx.spring.boot.UcxProperties;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Makes loops of the properties. */
final class LoopsFactory {

    private final PropertyTarget target = new PropertyTarget("reactor.ucx.netty");
    private final PropertyTarget common = new PropertyTarget("reactor.ucx");
    private final UcxNettyProperties properties;
    private UcxNettyConfig config = UcxNettyConfig.DEFAULT;

    private LoopsFactory(UcxNettyProperties properties) {
        this.properties = properties;
    }

    /** Returns what the loops have in common. */
    static UcxNettyConfig config(UcxProperties common, UcxNettyProperties properties,
            @Nullable Authenticator authenticator) {
        LoopsFactory made = new LoopsFactory(properties);
        made.configure(common, authenticator);
        return made.config;
    }

    static int count(UcxNettyProperties properties) {
        return properties.loops() == null ? Runtime.getRuntime().availableProcessors() : properties.loops();
    }

    /** Returns loops, whose threads start with their first channel. */
    static UcxLoopResources loops(UcxNettyProperties properties, UcxNettyConfig config, int count) {
        UcxLoopResources[] made = new UcxLoopResources[1];
        new PropertyTarget("reactor.ucx.netty").set("loops", count, each -> {
            try {
                made[0] = UcxLoopResources.create(properties.name(), each, config);
            } catch (IllegalStateException e) {
                // Netty's own: each loop opens files.
                String cause = String.valueOf(e.getCause() == null ? e.getMessage() : e.getCause().getMessage());
                throw new IllegalArgumentException(each + " loops cannot be made: " + cause + "; 'ulimit -n' has the"
                        + " limit of open files", e);
            }
        });
        return made[0];
    }

    private void configure(UcxProperties shared, @Nullable Authenticator authenticator) {
        change(common, "transports", shared.transports(), (to, names) -> to.withTransports(array(names)));
        change(common, "required-transports", shared.requiredTransports(),
                (to, kinds) -> to.withRequiredTransports(kinds.toArray(UcxTransportKind[]::new)));
        change(common, "network-devices", shared.networkDevices(), (to, names) -> to.withNetworkDevices(array(names)));
        change(common, "client-share", shared.clientShare(), UcxNettyConfig::withClientShare);
        change(target, "spin", properties.spin(), UcxNettyConfig::withSpin);
        change(target, "window-size", properties.windowSize(), (to, size) -> to.withWindowBytes(bytes(size)));
        change(target, "handshake-timeout", properties.handshakeTimeout(), (to, value) -> to.withTimeouts(value,
                to.closeTimeout(), to.heartbeatInterval(), to.linkIdleTimeout()));
        change(target, "close-timeout", properties.closeTimeout(), (to, value) -> to.withTimeouts(
                to.handshakeTimeout(), value, to.heartbeatInterval(), to.linkIdleTimeout()));
        change(target, "heartbeat-interval", properties.heartbeatInterval(), (to, value) -> to.withTimeouts(
                to.handshakeTimeout(), to.closeTimeout(), value, to.linkIdleTimeout()));
        change(target, "link-idle-timeout", properties.linkIdleTimeout(), (to, value) -> to.withTimeouts(
                to.handshakeTimeout(), to.closeTimeout(), to.heartbeatInterval(), value));
        change(target, "max-links", properties.maxLinks(), (to, value) -> to.withLimits(value, to.maxChannels()));
        change(target, "max-channels", properties.maxChannels(), (to, value) -> to.withLimits(to.maxLinks(), value));
        change(target, "max-buffer-size", properties.maxBufferSize(),
                (to, size) -> to.withBuffers(size.toBytes(), properties.sharedBuffers()));
        change(target, "ring-size", properties.ringSize(), (to, size) -> to.withRingBytes(bytes(size)));
        if (authenticator != null) {
            config = config.withAuthenticator(authenticator);
        }
        plainTcp(properties.plainTcp());
    }

    private void plainTcp(UcxNettyProperties.PlainTcp from) {
        change(target, "plain-tcp.decision-time", from.decisionTime(),
                (to, value) -> to.withPlainTcp(to.plainTcp().withDecisionTime(value)));
        change(target, "plain-tcp.remotes", from.remotes(),
                (to, value) -> to.withPlainTcp(to.plainTcp().withRemotes(remotes(value))));
        change(target, "plain-tcp.accepted", from.accepted(),
                (to, value) -> to.withPlainTcp(to.plainTcp().withAccepted(value)));
    }

    private static PlainRemotes remotes(List<String> values) {
        return PlainRemotes.of(values);
    }

    private <V> void change(PropertyTarget to, String name, @Nullable V value,
            BiFunction<UcxNettyConfig, V, UcxNettyConfig> change) {
        to.set(name, value, each -> config = change.apply(config, each));
    }

    private static String[] array(List<String> names) {
        return names.toArray(String[]::new);
    }

    private static int bytes(DataSize size) {
        // The configuration refuses both ends.
        return Math.clamp(size.toBytes(), Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
}

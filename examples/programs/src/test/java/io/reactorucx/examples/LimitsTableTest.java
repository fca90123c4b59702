package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnectionPool;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.Ucx;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.ring.RingProtocolFactory;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.pool.InstrumentedPool;
import reactor.util.retry.Retry;

/** The table of {@code docs/spec/limits.md} has the defaults of the builders. */
@ExtendWith(NoLeaks.class)
class LimitsTableTest {

    private static final Pattern ROW = Pattern.compile("^\\| `([A-Za-z.]+)`[^|]*\\| ([^|]+) \\|", Pattern.MULTILINE);

    private UcxResources resources;

    @BeforeEach
    void create() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        resources = UcxResources.create();
    }

    @AfterEach
    void dispose() {
        if (resources != null) {
            resources.disposeNow();
        }
    }

    @Test
    void tableHasTheDefaultsOfTheBuilders() throws IOException {
        String page = Files.readString(Path.of("../../docs/spec/limits.md"));
        String section = page.split("## Limits and their defaults")[1].split("\n## ")[0];
        Map<String, List<Object>> shown = new LinkedHashMap<>();
        ROW.matcher(section).results().forEach(row -> shown.put(row.group(1),
                Stream.of(row.group(2).split(", ")).map(LimitsTableTest::parse).toList()));

        assertThat(shown).isEqualTo(defaults());
    }

    /** The values of the builders' fields; a field that gets another name has to get it here as well. */
    private Map<String, List<Object>> defaults() {
        UcxServer server = UcxServer.create(resources);
        UcxClient client = UcxClient.create(resources).remoteAddress("127.0.0.1", 1);
        var reconnecting = client.reconnect(Retry.indefinitely());
        UcxConnectionPool pool = UcxConnectionPool.builder(client).build();
        Object builder = UcxResources.builder();
        EngineConfig engine = EngineConfig.of("engine");
        ServedMemoryConfig memory = ServedMemoryConfig.DEFAULT;
        Map<String, List<Object>> defaults = new LinkedHashMap<>();
        defaults.put("messageWindow", both(server, client, "windowMessages", "windowBytes"));
        defaults.put("maxMessageBytes", both(server, client, "maxMessageBytes"));
        defaults.put("maxStreams", both(server, client, "maxStreams"));
        defaults.put("maxWaitingRequests", both(server, client, "maxWaitingRequests"));
        defaults.put("receiveQueue", both(server, client, "maxMessages", "maxBytes"));
        defaults.put("maxHeldOffers", both(server, client, "maxHeldOffers"));
        defaults.put("connectTimeout", both(server, client, "handshakeTimeout"));
        defaults.put("closeTimeout", both(server, client, "closeTimeout"));
        defaults.put("heartbeatInterval", both(server, client, "heartbeatInterval"));
        defaults.put("UcxServer.maxConnections", values(server, "maxConnections", "maxPendingHandshakes"));
        assertThat(values(server, "maxConnectionsPerClient")).as("not set: half").containsExactly(0L);
        defaults.put("UcxServer.maxConnectionsPerClient", List.of(FairLimit.HALF));
        defaults.put("UcxReconnectingClient.pendingMaxCount",
                values(reconnecting, "pendingMaxCount", "pendingTimeout"));
        long pending = ((InstrumentedPool<?>) value(pool, "pool")).metrics().getMaxPendingAcquireSize();
        defaults.put("UcxConnectionPoolBuilder.maxConnections", List.of((long) pool.maxConnections(), pending));
        defaults.put("UcxConnectionPoolBuilder.pendingAcquireTimeout", values(pool, "pendingAcquireTimeout"));
        defaults.put("UcxResourcesBuilder.maxBufferBytes", values(builder, "maxBufferBytes", "maxBufferWaiters"));
        defaults.put("UcxResourcesBuilder.ringBytes", List.of((long) RingProtocolFactory.DEFAULT_BYTES));
        defaults.put("UcxResourcesBuilder.maxMappedBytes", values(builder, "maxMappedBytes"));
        defaults.put("UcxResourcesBuilder.authenticatorLimits", values(builder, "threads", "queuedSteps"));
        defaults.put("UcxResourcesBuilder.maxIdleEndpoints", values(builder, "maxIdleEndpoints"));
        defaults.put("UcxResourcesBuilder.maxParkedEndpoints", values(builder, "maxParkedEndpoints"));
        defaults.put("UcxResourcesBuilder.maxUnboundEndpoints", values(builder, "maxUnboundEndpoints"));
        defaults.put("UcxResourcesBuilder.clientShare", List.of(FairLimit.HALF));
        assertThat(value(builder, "clientShare")).isEqualTo(FairLimit.HALF);
        defaults.put("UcxResourcesBuilder.stallThreshold", values(builder, "stallThreshold"));
        defaults.put("ServedMemoryConfig.maxWindows",
                List.of((long) memory.maxWindows(), (long) memory.maxRequests(), (long) memory.maxQueuedRequests()));
        defaults.put("EngineConfig.commandQueueCapacity",
                List.of((long) engine.commandQueueCapacity(), (long) engine.maxInFlight()));
        pool.disposeNow(Duration.ofSeconds(10));
        return defaults;
    }

    private static List<Object> both(Object server, Object client, String... fields) {
        assertThat(values(client, fields)).isEqualTo(values(server, fields));
        return values(client, fields);
    }

    private static List<Object> values(Object root, String... fields) {
        return Stream.of(fields).map(field -> value(root, field)).toList();
    }

    /** The value of the nearest field with a name, in an object or in the parts of this library that it is made of. */
    private static Object value(Object root, String name) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> rest = new ArrayDeque<>(List.of(root));
        while (!rest.isEmpty()) {
            Object owner = rest.remove();
            for (Field field : owner.getClass().getDeclaredFields()) {
                Object value = Modifier.isStatic(field.getModifiers()) ? null : read(field, owner);
                if (value != null && field.getName().equals(name)) {
                    return value instanceof Integer || value instanceof Long ? (Object) ((Number) value).longValue()
                            : value;
                }
                if (value != null && value.getClass().getName().startsWith("io.reactorucx")
                        && !(value instanceof UcxResources) && seen.add(value)) {
                    rest.add(value);
                }
            }
        }
        throw new AssertionError("no field " + name + " in " + root.getClass());
    }

    private static Object read(Field field, Object owner) {
        try {
            field.setAccessible(true);
            return field.get(owner);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static Object parse(String text) {
        if (text.strip().endsWith(" of them")) {
            return Double.valueOf(text.strip().split(" ")[0]);
        }
        String[] words = text.strip().split(" ");
        long number = Long.parseLong(words[0]);
        return switch (words.length == 1 ? "" : words[1]) {
            case "" -> number;
            case "KiB" -> number << 10;
            case "MiB" -> number << 20;
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            default -> throw new AssertionError("a unit that is not known: " + text);
        };
    }
}

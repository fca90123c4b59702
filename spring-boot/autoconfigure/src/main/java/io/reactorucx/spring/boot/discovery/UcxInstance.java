package io.reactorucx.spring.boot.discovery;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.ServiceInstance;

/**
 * The part of the metadata of an instance in the registry that is about UCX.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> {@link IllegalArgumentException} for metadata
 * that are out of range.
 *
 * @param host name or address for connections over UCX; null for that of the instance
 * @param port of the instance's RSocket server over UCX, 0 without one
 * @param tcpPort of the same RSocket server over TCP, for callers that do not reach it over UCX; 0 without one
 * @param http whether the instance's own port takes HTTP over loops of UCX, beside plain TCP
 */
public record UcxInstance(@Nullable String host, int port, int tcpPort, boolean http) {

    /** Key of {@link #host()}. */
    public static final String HOST = "ucx.host";
    /** Key of {@link #port()}. */
    public static final String PORT = "ucx.port";
    /** Key of {@link #tcpPort()}. */
    public static final String TCP_PORT = "ucx.tcp-port";
    /** Key of {@link #http()}. */
    public static final String HTTP = "ucx.http";

    private static final int MAX_PORT = 65_535;

    /** Checks the parts. */
    public UcxInstance {
        if (host != null && host.isBlank()) {
            throw new IllegalArgumentException(HOST + " '" + host + "': must not be blank");
        }
        inRange(port, PORT);
        inRange(tcpPort, TCP_PORT);
    }

    private static void inRange(int port, String name) {
        if (port < 0 || port > MAX_PORT) {
            throw new IllegalArgumentException(name + " " + port + ": must be in 0.." + MAX_PORT);
        }
    }

    /**
     * Reads the metadata of an instance. One without any of the keys knows nothing of UCX.
     *
     * @param instance from the registry
     * @return what its metadata say
     */
    public static UcxInstance of(ServiceInstance instance) {
        Map<String, String> metadata = Objects.requireNonNullElse(
                Objects.requireNonNull(instance, "instance").getMetadata(), Map.of());
        return new UcxInstance(metadata.get(HOST), port(metadata, PORT), port(metadata, TCP_PORT),
                Boolean.parseBoolean(metadata.get(HTTP)));
    }

    private static int port(Map<String, String> metadata, String key) {
        String value = metadata.get(key);
        try {
            return value == null ? 0 : Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(key + " '" + value + "': must be a number in 0.." + MAX_PORT, e);
        }
    }

    /** {@return the metadata that say this} */
    public Map<String, String> toMetadata() {
        Map<String, String> metadata = new LinkedHashMap<>();
        if (host != null) {
            metadata.put(HOST, host);
        }
        if (port > 0) {
            metadata.put(PORT, Integer.toString(port));
        }
        if (tcpPort > 0) {
            metadata.put(TCP_PORT, Integer.toString(tcpPort));
        }
        if (http) {
            metadata.put(HTTP, "true");
        }
        return metadata;
    }
}

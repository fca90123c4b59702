package io.reactorucx.core;

import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.ConfigKeys;
import io.reactorucx.core.internal.ConfigValues;
import io.reactorucx.core.internal.config.ContextSettings;
import io.reactorucx.core.internal.config.UcxSettings;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The configuration that a context is made with: features, a name for logs, and UCX's own settings by name.
 *
 * <p>A setting given here wins over the environment ({@code UCX_*}), which wins over the library's defaults. Settings
 * of single transports ({@code TCP_*}, {@code POSIX_*}) reach UCX only through the environment of the process, which is
 * changed for the moment in which a context or a worker is made. Some of the library's defaults are not UCX's:
 * {@code ZCOPY_THRESH} is {@code inf} where messages may go over UCX's tcp, which completes a send without a copy
 * twice when its peer dies and aborts the process; from UCX 1.16 on {@code PROTOS} leaves out these ways to send
 * instead, where an RDMA device can be used, too. {@code TCP_TX_SEG_SIZE} is {@code 64k} there, since UCX's tcp would
 * otherwise make a system call for each 8 KiB. A peer with a smaller {@code TCP_RX_SEG_SIZE} does not get along with
 * that. {@code TCP_PUT_ENABLE} is {@code n} everywhere, since a PUT in flight over UCX's tcp is written into memory
 * that its owner has got back by a cancel or a close by force, and may use for something else. From UCX 1.16 on {@code
 * RNDV_THRESH} is {@code 8k}: UCX would send messages of any size at once, and they would fill the memory of a receiver
 * that has not asked for them. {@code UD_VERBS_ETH_DGID_CHECK} is {@code n} where a device on Ethernet is not mlx5's,
 * with which UCX's datagrams do not arrive otherwise. With Soft-RoCE {@code IB_ASYNC_EVENTS} is {@code n} and {@code
 * RC_VERBS_RETRY_COUNT} is {@code 6}, since UCX ends the process by one of its reports and 7 has no end there.
 *
 * <p>A list of transports that names {@code rc_verbs} or {@code rc_mlx5} and nothing that connects them is completed by
 * {@code ud_verbs:aux} or {@code ud_mlx5:aux}, with a line in the log.
 *
 * @param name name of the context, at most 31 characters
 * @param features what the context can do
 * @param estimatedEndpoints how many endpoints to expect, a hint for the choice of transports
 * @param settings UCX's settings, names without the prefix {@code UCX_}
 * @param estimatedProcessesPerNode how many processes to expect on this host, a hint for the choice of transports
 * @param workersShared whether workers of several threads share the context; without it everything belongs to the
 *     thread that made it
 * @param tagSenderMask bits of a tag that name its sender, a hint for hardware tag matching
 * @param environmentPrefix prefix of variables that win over {@code UCX_*}: {@code APP} for {@code APP_UCX_*}; empty
 *     for none
 */
public record UcpConfig(String name, Set<UcpFeature> features, long estimatedEndpoints, Map<String, String> settings,
        long estimatedProcessesPerNode, boolean workersShared, long tagSenderMask, String environmentPrefix) {

    private static final Pattern PREFIX = Pattern.compile("([A-Za-z][A-Za-z0-9]{0,30})?");

    /** Checks and copies the parts. */
    public UcpConfig {
        Arguments.name(name, "name");
        Objects.requireNonNull(settings, "settings");
        if (Arguments.elements(features, "features").isEmpty()) {
            throw new IllegalArgumentException("features: at least one is needed");
        }
        // UCX keeps both as an int, and refuses endpoints later, or forgets them, when they do not fit.
        hint(estimatedEndpoints, "estimatedEndpoints");
        hint(estimatedProcessesPerNode, "estimatedProcessesPerNode");
        if (!PREFIX.matcher(Objects.requireNonNull(environmentPrefix, "environmentPrefix")).matches()) {
            throw new IllegalArgumentException("environmentPrefix " + environmentPrefix
                    + ": a letter and then letters and digits, at most 31");
        }
        features = Collections.unmodifiableSet(EnumSet.copyOf(features));
        Map<String, String> checked = new TreeMap<>();
        settings.forEach((key, value) -> {
            String known = ConfigKeys.checked(key);
            checked.put(known, ConfigValues.checked(known, text(key, value)));
        });
        settings = Collections.unmodifiableMap(checked);
    }

    /** In C, a text ends at its first 0. */
    private static String text(String key, String value) {
        if (Objects.requireNonNull(value, key).indexOf(0) >= 0) {
            throw new IllegalArgumentException("setting " + key + ": a value has no character 0, UCX would take only"
                    + " what is before it");
        }
        return value;
    }

    private static void hint(long value, String name) {
        if (value < 1 || value > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(name + " " + value + ": must be in 1.." + Integer.MAX_VALUE);
        }
    }

    /**
     * The most common parts, with one process per node, a context for any thread, and no prefix.
     *
     * @param name name of the context
     * @param features what the context can do
     * @param estimatedEndpoints how many endpoints to expect
     * @param settings UCX's settings
     */
    public UcpConfig(String name, Set<UcpFeature> features, long estimatedEndpoints, Map<String, String> settings) {
        this(name, features, estimatedEndpoints, settings, 1, true, 0, "");
    }

    /** The settings that hold for a context of this configuration. */
    UcxSettings effective() {
        return new UcxSettings(settings, environmentPrefix);
    }

    /**
     * Returns the configuration that UCX would use: its defaults, the environment and these settings ({@code
     * ucp_config_print}).
     *
     * @param first one part to print
     * @param more others
     * @return the text
     */
    public String print(ConfigPrint first, ConfigPrint... more) {
        Ucx.ensureAvailable();
        int flags = EnumSet.of(first, more).stream().mapToInt(ConfigPrint::bit).sum();
        return ContextSettings.print(effective(), name, flags);
    }

    /**
     * Starts from what suits services: active messages, tags and wake-up; no access to memory.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects the parts of a {@link UcpConfig}. */
    public static final class Builder {

        private String name = "reactor-ucx";
        private final EnumSet<UcpFeature> features = EnumSet.of(UcpFeature.AM, UcpFeature.TAG, UcpFeature.WAKEUP);
        private long estimatedEndpoints = 1;
        private final Map<String, String> settings = new TreeMap<>();
        private long estimatedProcessesPerNode = 1;
        private boolean workersShared = true;
        private long tagSenderMask;
        private String environmentPrefix = "";

        Builder() {
        }

        /**
         * Names the context.
         *
         * @param value at most 31 characters
         * @return this
         */
        public Builder name(String value) {
            name = value;
            return this;
        }

        /**
         * Replaces the features.
         *
         * @param first one feature
         * @param more others
         * @return this
         */
        public Builder features(UcpFeature first, UcpFeature... more) {
            features.clear();
            features.addAll(EnumSet.of(first, more));
            return this;
        }

        /**
         * Adds a feature.
         *
         * @param feature the feature
         * @return this
         */
        public Builder feature(UcpFeature feature) {
            features.add(feature);
            return this;
        }

        /**
         * How many endpoints to expect.
         *
         * @param value 1 to 2,147,483,647
         * @return this
         */
        public Builder estimatedEndpoints(long value) {
            estimatedEndpoints = value;
            return this;
        }

        /**
         * How many processes of the application to expect on this host.
         *
         * @param value 1 to 2,147,483,647
         * @return this
         */
        public Builder estimatedProcessesPerNode(long value) {
            estimatedProcessesPerNode = value;
            return this;
        }

        /**
         * Whether workers of several threads share the context ({@code mt_workers_shared}); they do unless this says
         * no.
         *
         * @param value no saves UCX's locks, and binds the context, its memory and its workers to the thread that makes
         *     it
         * @return this
         */
        public Builder workersShared(boolean value) {
            workersShared = value;
            return this;
        }

        /**
         * Which bits of a tag name its sender.
         *
         * @param value the bits
         * @return this
         */
        public Builder tagSenderMask(long value) {
            tagSenderMask = value;
            return this;
        }

        /**
         * Lets variables with a prefix win over those without.
         *
         * @param value {@code APP} for {@code APP_UCX_*}: a letter, then letters and digits, at most 31
         * @return this
         */
        public Builder environmentPrefix(String value) {
            environmentPrefix = value;
            return this;
        }

        /**
         * Which transports may be used ({@code UCX_TLS}). Socket addresses need {@code tcp} or {@code rdmacm} among
         * them.
         *
         * @param names names or aliases of transports, such as {@code tcp}, {@code posix}, {@code ib}
         * @return this
         */
        public Builder transports(String... names) {
            return setting("TLS", String.join(",", Arrays.asList(names)));
        }

        /**
         * Which network devices may be used ({@code UCX_NET_DEVICES}).
         *
         * @param names names of devices, such as {@code eth0} or {@code mlx5_0:1}
         * @return this
         */
        public Builder netDevices(String... names) {
            return setting("NET_DEVICES", String.join(",", Arrays.asList(names)));
        }

        /**
         * From which size a message is offered instead of sent along ({@code UCX_RNDV_THRESH}).
         *
         * @param bytes size in bytes, 0 or more
         * @return this
         */
        public Builder rendezvousThreshold(long bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("rendezvousThreshold " + bytes + " B: 0 or more");
            }
            return setting("RNDV_THRESH", Long.toString(bytes));
        }

        /**
         * How often UCX checks that quiet peers are alive ({@code UCX_KEEPALIVE_INTERVAL}).
         *
         * @param interval at least 1 ms
         * @return this
         */
        public Builder keepAliveInterval(Duration interval) {
            if (interval.toMillis() < 1) {
                throw new IllegalArgumentException("keepAliveInterval " + interval + ": must be at least 1 ms");
            }
            return setting("KEEPALIVE_INTERVAL", interval.toMillis() + "ms");
        }

        /**
         * One of UCX's settings by its name. A name that UCX does not know is refused, which UCX itself does not do.
         *
         * @param key name, with or without the prefix {@code UCX_}
         * @param value its value in UCX's form
         * @return this
         */
        public Builder setting(String key, String value) {
            Objects.requireNonNull(value, "value");
            String known = ConfigKeys.checked(key);
            settings.put(known, ConfigValues.checked(known, value));
            return this;
        }

        /** {@return the configuration} */
        public UcpConfig build() {
            return new UcpConfig(name, features, estimatedEndpoints, settings, estimatedProcessesPerNode, workersShared,
                    tagSenderMask, environmentPrefix);
        }
    }
}

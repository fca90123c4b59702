package io.reactorucx.spring.boot;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of Netty's loops, which the web server and the clients of the application share. The transports, the
 * network devices and the shared secret are those of {@link UcxProperties}.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 *
 * @param loops Number of loops. Without it, as many as there are processors.
 * @param name Prefix of the names of their threads.
 * @param spin How long an idle loop looks at UCX before it sleeps, up to 1 s.
 * @param windowSize Bytes of a channel that may be under way or wait for their reader, 4 KiB to 1 GiB.
 * @param handshakeTimeout How long a channel may take from the connected socket to its first byte, 1 ms to 1 h.
 * @param closeTimeout How long bytes that were written before a close may take, up to 1 h.
 * @param heartbeatInterval Interval of heartbeats between loops.
 * @param linkIdleTimeout How long a link stays without a channel, up to 1 h.
 * @param maxLinks Links that a loop accepts at a time.
 * @param maxChannels Channels of a loop at a time.
 * @param maxBufferSize Maximum size of the buffer pool of each loop, at least 4 MiB.
 * @param sharedBuffers Whether processes of this host and user may map the pools read-only.
 * @param ringSize Size of the rings for small frames to loops of this host, a power of two from 256 KiB to 64 MiB, or 0
 *     for none. Without it 256 KiB, and none where transports are named.
 * @param plainTcp Peers that know nothing of UCX.
 */
@ConfigurationProperties("reactor.ucx.netty")
public record UcxNettyProperties(@Nullable Integer loops, @DefaultValue("ucx") String name,
        @DefaultValue("50us") Duration spin, @DefaultValue("512KB") DataSize windowSize,
        @DefaultValue("10s") Duration handshakeTimeout, @DefaultValue("5s") Duration closeTimeout,
        @DefaultValue("10s") Duration heartbeatInterval, @DefaultValue("1m") Duration linkIdleTimeout,
        @DefaultValue("1024") int maxLinks, @DefaultValue("65536") int maxChannels,
        @DefaultValue("64MB") DataSize maxBufferSize, @DefaultValue("true") boolean sharedBuffers,
        @Nullable DataSize ringSize,
        @DefaultValue PlainTcp plainTcp) {

    /**
     * Peers that know nothing of UCX.
     *
     * @param accepted Whether servers also serve peers without UCX, such as browsers and probes, over their TCP
     *     sockets. Not possible with an authenticator.
     * @param decisionTime How long a server waits for the first bytes of a peer before the peer counts as one without
     *     UCX, 1 ms to 1 min.
     * @param remotes Servers without UCX, to which clients connect by plain TCP, as 'host', 'host:port' or '*:port'.
     */
    public record PlainTcp(@DefaultValue("false") boolean accepted, @DefaultValue("300ms") Duration decisionTime,
            @DefaultValue List<String> remotes) {

        /** Copies the parts. */
        public PlainTcp {
            remotes = List.copyOf(remotes);
        }
    }
}

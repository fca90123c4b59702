package io.reactorucx.examples.netty;

import io.netty.channel.socket.SocketChannel;
import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import reactor.netty.resources.LoopResources;

/**
 * The loop of one side, which decides what the bytes of its channels go over.
 *
 * <p><b>Threading:</b> any thread but that of the loop. <b>Ownership:</b> {@link #close()} ends the loop.
 * <b>Errors:</b> as {@link UcxLoopResources#create(String, int, UcxNettyConfig)}.
 *
 * @param resources for servers and clients
 */
public record Loops(LoopResources resources) implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    /**
     * Makes a loop.
     *
     * @param ucx whether its channels go over UCX, and not over the kernel's TCP
     * @param config of the loop over UCX
     * @return the loop
     */
    public static Loops create(boolean ucx, UcxNettyConfig config) {
        return new Loops(resources(ucx, config));
    }

    // snippet: netty-loops
    /** Returns a loop for servers and clients of Netty. Nothing else decides about the transport. */
    private static LoopResources resources(boolean ucx, UcxNettyConfig config) {
        return ucx ? UcxLoopResources.create("ucx", 1, config) : LoopResources.create("kernel", 1, true);
    }
    // end

    /** {@return the type of its channels} */
    public String channel() {
        return resources.onChannelClass(SocketChannel.class, resources.onClient(true)).getSimpleName();
    }

    /** {@return bytes of channels that were given to UCX; 0 for a loop over the kernel's TCP} */
    public long sentBytes() {
        return sum(UcxLoopStatistics::sentBytes);
    }

    /** {@return bytes of channels that have come over UCX} */
    public long receivedBytes() {
        return sum(UcxLoopStatistics::receivedBytes);
    }

    private long sum(ToLongFunction<UcxLoopStatistics> amount) {
        List<UcxLoopStatistics> each = resources instanceof UcxLoopResources ucx ? ucx.factory().statistics()
                : List.of();
        return each.stream().mapToLong(amount).sum();
    }

    @Override
    public void close() {
        resources.disposeLater(Duration.ZERO, LIMIT).block(LIMIT.multipliedBy(2));
    }
}

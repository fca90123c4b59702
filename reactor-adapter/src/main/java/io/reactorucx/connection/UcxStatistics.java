package io.reactorucx.connection;

import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.ServedMemoryStatistics;
import io.reactorucx.message.RequestStatistics;
import io.reactorucx.message.TrafficStatistics;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Counts and amounts of some resources. A list has one element for each engine, in the order of
 * {@link io.reactorucx.UcxResources#engines()}.
 *
 * <p><b>Threading:</b> any thread; engines write without a fence, so that the latest changes may be missing.
 */
public interface UcxStatistics {

    /**
     * Returns what one part of the API has sent and received.
     *
     * @param api the part
     * @return the counts
     */
    List<TrafficStatistics> traffic(TrafficStatistics.Api api);

    /**
     * Returns the requests on one side.
     *
     * @param side the side
     * @return the counts
     */
    List<RequestStatistics> requests(RequestStatistics.Side side);

    /**
     * Measures the time of requests from now on. An engine times at most 1024 requests at once. There is one recorder:
     * another one takes its place.
     *
     * @param every 1 to time each request, n to time each nth of an engine, at most 1,000,000; 0 to time none
     * @param recorder returns what gets the times of an engine, by its number, on the engine's thread
     */
    void recordRequestTimes(int every, IntFunction<RequestStatistics.Recorder> recorder);

    /**
     * Returns the accesses to memory of peers that have succeeded; refused ones are none of them.
     *
     * @param access what was done
     * @param path how, {@link MemoryPath#SERVED} or {@link MemoryPath#ONE_SIDED}
     * @return the accesses
     */
    List<ServedMemoryStatistics.Requests> memoryAccesses(ServedMemoryStatistics.Access access, MemoryPath path);

    /** {@return the number of open connections by the host of the peer, without the port} */
    Map<String, Integer> connectionsByHost();

    /**
     * Tells of engines that are added, because an address needs other network devices than those before.
     *
     * @return the number of each engine that is added after the subscription; never completes
     */
    Flux<Integer> onEngineAdded();

    /**
     * Tells of the end of an engine.
     *
     * @param engine its number, from 0
     * @return completes when the engine has closed or failed, on its thread
     */
    Mono<Void> onEngineClosed(int engine);

    /**
     * Returns what the client with the most has of a limit, and what one client can have.
     *
     * @param of the limit
     * @return both
     */
    ClientShare clientShare(SharedLimit of);

    /** The limits of resources that clients share. */
    enum SharedLimit {
        /** Endpoints that are kept for the next connection. */
        IDLE_ENDPOINTS,
        /** Endpoints that are being wired up for a connection, or wait until UCX can close them. */
        PARKED_ENDPOINTS,
        /** Bytes of pools of peers that are mapped, and of rings. */
        MAPPED_BYTES
    }

    /**
     * The shares that clients have of a limit.
     *
     * @param largest the amount of the client with the most
     * @param limit the maximum for one client
     */
    record ClientShare(long largest, long limit) {
    }

    /** {@return the maximum number of first steps of authenticators that wait} */
    int maxQueuedAuthentications();

    /** {@return the number of endpoints of clients whose handshake is done, and which are not bound yet} */
    long unboundEndpoints();

    /** {@return the maximum of {@link #unboundEndpoints()}} */
    long maxUnboundEndpoints();
}

package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.UcpMacros;
import io.reactorucx.core.ffi.UcpPosts;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The byte stream between two endpoints ({@code ucp_stream_send_nbx}, {@code ucp_stream_recv_nbx}): bytes arrive in
 * order, without message boundaries. UCX queues bytes that no receive waits for, without a limit.
 *
 * <p><b>Threading:</b> the thread of the endpoint's worker. <b>Ownership:</b> memory has to stay alive until the
 * operation has ended; data that was lent is given back by {@link UcpStreamData#close()}, at the latest by the close of
 * the endpoint. A receive ends with data or with the endpoint: UCX cannot cancel one. <b>Errors:</b> as {@link
 * UcpEndpoint} has them; an empty send or receive is refused, since UCX aborts the receiver's process on one.
 */
public final class UcpStream {

    private final UcpEndpoint endpoint;
    private final UcpWorker worker;
    private final Set<UcpStreamData> lent = new HashSet<>();
    private int receives;
    private boolean sent;

    UcpStream(UcpEndpoint endpoint, UcpWorker worker) {
        this.endpoint = endpoint;
        this.worker = worker;
    }

    /**
     * Sends bytes.
     *
     * @param payload native memory, at least 1 byte
     * @param registration the registered memory that the payload is part of, if it is
     * @param whenDone called when the payload is free again
     * @return whether it is done already
     */
    public boolean send(MemorySegment payload, @Nullable UcpMemory registration, Completion whenDone) {
        endpoint.requireUsable("stream_send", UcpFeature.STREAM);
        requireBytes(Objects.requireNonNull(payload, "payload").byteSize(), "payload");
        MemorySegment data = UcpMemory.within(registration, Arguments.source(payload, "payload"));
        RequestTable requests = worker.requests();
        sent = true;
        long token = requests.begin("stream_send", whenDone, endpoint,
                worker.context().pinned(registration, data, "payload"), payload);
        return requests.posted("stream_send", endpoint.peer(), token,
                UcpPosts.ucp_stream_send_nbx(endpoint.handle(), data, data.byteSize(),
                worker.parameters().of(requests.onSend, token, registration)));
    }

    /**
     * Sends data of any layout but one that packs itself.
     *
     * @param payload at least 1 byte
     * @param flags how UCX may treat it
     * @param whenDone called when the payload is free again, unless it is already
     * @return the operation
     */
    public UcpRequest send(UcpData payload, Set<RequestFlag> flags, Completion whenDone) {
        Set<RequestFlag> checked = RequestFlag.copy(flags);
        endpoint.requireUsable("stream_send", UcpFeature.STREAM);
        sent = true;
        return operation("stream_send", payload, false, checked).post(worker.requests().onSend, 0, whenDone,
                (token, data, parameters) -> UcpPosts.ucp_stream_send_nbx(endpoint.handle(), data.buffer(),
                        data.count(), parameters));
    }

    /**
     * Receives what comes next. The completion is always called, with the length; receives end in the order in which
     * they were posted.
     *
     * @param destination at least 1 byte, of any layout but one that unpacks itself
     * @param waitAll whether to wait for as much as fits, instead of taking what is there
     * @param whenDone called when the receive has ended
     * @return the operation
     */
    public UcpRequest receive(UcpData destination, boolean waitAll, Completion whenDone) {
        endpoint.requireUsable("stream_recv", UcpFeature.STREAM);
        Objects.requireNonNull(whenDone, "whenDone");
        RequestTable requests = worker.requests();
        Completion counted = (rawStatus, length, senderTag) -> {
            receives--;
            whenDone.complete(rawStatus, length, senderTag);
        };
        MemorySegment[] length = new MemorySegment[1];
        UcpRequest request = operation("stream_recv", destination, true, Set.of()).post(requests.onDataReceive,
                waitAll ? ucx_h.UCP_STREAM_RECV_FLAG_WAITALL() : 0, counted, (token, data, parameters) -> {
                    length[0] = requests.scratch(token, Long.BYTES);
                    return UcpPosts.ucp_stream_recv_nbx(endpoint.handle(), data.buffer(), data.count(), length[0],
                            parameters);
                }, (token, pointer) -> requests.postedWithLength("stream_recv", endpoint.peer(), token, pointer,
                        length[0]));
        receives++;
        return request;
    }

    private DataOperation operation(String name, UcpData data, boolean receives, Set<RequestFlag> flags) {
        if (data.generic() != null) {
            throw new UcxUnsupportedException(name, "UCX aborts the process when a generic datatype fails within a"
                    + " stream, use memory");
        }
        requireBytes(data.byteSize(), receives ? "destination" : "payload");
        return new DataOperation(name, worker, endpoint, data, receives, flags).requireLayoutIsHonoured();
    }

    private static void requireBytes(long bytes, String name) {
        if (bytes == 0) {
            throw new IllegalArgumentException(name + " of 0 bytes: a stream carries at least 1");
        }
    }

    /**
     * Lends what has arrived, without a copy ({@code ucp_stream_recv_data_nb}).
     *
     * @return data to be given back, or nothing when none is here or a receive waits for it
     */
    public Optional<UcpStreamData> borrow() {
        endpoint.requireUsable("stream_recv_data", UcpFeature.STREAM);
        MemorySegment length = worker.streams().length();
        MemorySegment data = ucx_h.ucp_stream_recv_data_nb(endpoint.handle(), length);
        if (UcpMacros.isError(data.address())) {
            throw new UcxException(UcpMacros.status(data.address()), "stream_recv_data", endpoint.peer());
        }
        if (data.address() == 0) {
            return Optional.empty();
        }
        // With other modes than SINGLE, the thread that gives it back or closes the endpoint may be another one.
        Arena lease = worker.config().parameters().threadMode() == UcxThreadMode.SINGLE ? Arena.ofConfined()
                : Arena.ofShared();
        UcpStreamData borrowed = new UcpStreamData(this, data, length.get(ValueLayout.JAVA_LONG, 0), lease);
        lent.add(borrowed);
        return Optional.of(borrowed);
    }

    /** {@return pieces of data that were lent and not given back} */
    public int lent() {
        worker.checkThread();
        return lent.size();
    }

    /** {@return number of receives in flight, which only data or the close of the endpoint ends} */
    public int receives() {
        return receives;
    }

    /** {@return whether anything was ever sent here, which the peer may not have received} */
    public boolean hasSent() {
        return sent;
    }

    void checkThread() {
        worker.checkThread();
    }

    void giveBack(UcpStreamData data, MemorySegment handle) {
        if (lent.remove(data)) {
            ucx_h.ucp_stream_data_release(endpoint.handle(), handle);
        }
    }

    /** Returns lent data to UCX before the endpoint is closed. */
    void closing() {
        List.copyOf(lent).forEach(UcpStreamData::close);
    }
}

package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.UcpPosts;
import io.reactorucx.core.ffi.ucp_tag_recv_info;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.StackRoom;
import io.reactorucx.core.internal.memory.Pinned;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tagged messages that arrive at a worker: receive, cancel, probe, take, and receive into data of any layout.
 *
 * <p><b>Threading, ownership, errors:</b> as {@link UcpWorker} has them.
 */
public final class UcpTags {

    private static final int REMOVE = 1;

    private final UcpWorker worker;
    private final MemorySegment workerHandle;
    private final MemorySegment info;
    private final Set<UcpTagMessage> taken = new HashSet<>();

    UcpTags(UcpWorker worker, MemorySegment workerHandle, Arena arena) {
        this.worker = worker;
        this.workerHandle = workerHandle;
        this.info = ucp_tag_recv_info.allocate(arena);
    }

    /**
     * Receives the next message with a matching tag ({@code ucp_tag_recv_nbx}). The completion is always called, with
     * length and tag.
     *
     * @param destination native memory, may be empty; a longer message ends as {@link UcxStatus#MESSAGE_TRUNCATED}
     * @param registration the registered memory that the destination is part of, if it is
     * @param tag the tag
     * @param mask bits of the tag that have to match
     * @param whenDone called when a message has been received
     * @return a number for {@link #cancel(long)}
     */
    public long receive(MemorySegment destination, @Nullable UcpMemory registration, long tag, long mask,
            Completion whenDone) {
        worker.checkOpen("tag_recv");
        worker.context().requireFeature(UcpFeature.TAG, "tag_recv");
        MemorySegment target = UcpMemory.within(registration, Arguments.destination(destination, "destination"));
        Pinned pin = worker.context().pinned(registration, target, "destination");
        requireStackIfArrived(tag, mask);
        RequestTable requests = worker.requests();
        long token = requests.begin("tag_recv", whenDone, null, pin, destination);
        MemorySegment parameters = worker.parameters().withoutImmediateCompletion(requests.onTagReceive, token,
                UcpMemory.nullIfEmpty(registration, target));
        requests.posted("tag_recv", null, token,
                UcpDirect.ucp_tag_recv_nbx(workerHandle.address(), target, target.byteSize(), tag, mask,
                parameters.address()));
        return token;
    }

    /**
     * Cancels a receive that no message has matched yet ({@code ucp_request_cancel}); its completion is called with
     * {@link UcxStatus#CANCELED}. A receive that a message has matched completes as if it had not been cancelled.
     *
     * @param receive what {@link #receive(MemorySegment, UcpMemory, long, long, Completion)} returned
     */
    public void cancel(long receive) {
        worker.checkOpen("request_cancel");
        long request = worker.requests().request(receive);
        if (request != 0) {
            StackRoom.require();
            ucx_h.ucp_request_cancel(workerHandle, MemorySegment.ofAddress(request));
        }
    }

    /**
     * Cancels the receives that have a completion, as {@link #cancel(long)} does with one. Looks through all operations
     * in flight, for callers that cancel rarely and have no room for a number.
     *
     * @param whenDone the completion, compared by identity
     */
    public void cancel(Completion whenDone) {
        cancelThose(Objects.requireNonNull(whenDone, "whenDone"));
    }

    /** Cancels all receives that no message has matched yet, as {@link #cancel(long)} does with one. */
    public void cancelAll() {
        cancelThose(null);
    }

    private void cancelThose(@Nullable Completion of) {
        worker.checkOpen("request_cancel");
        StackRoom.require();
        for (long request : worker.requests().cancellable(of)) {
            ucx_h.ucp_request_cancel(workerHandle, MemorySegment.ofAddress(request));
        }
    }

    /**
     * Looks for a message, which stays where it is ({@code ucp_tag_probe_nb}). Call {@link UcpWorker#progress()} in
     * between: probing does not let messages arrive.
     *
     * @param tag the tag
     * @param mask bits of the tag that have to match
     * @return the oldest message that matches, if one has arrived
     */
    public Optional<UcpTagInfo> probe(long tag, long mask) {
        return probe(tag, mask, 0) == 0 ? Optional.empty() : Optional.of(found());
    }

    /**
     * Takes a message, so that nothing else receives it.
     *
     * @param tag the tag
     * @param mask bits of the tag that have to match
     * @return the oldest message that matches, if one has arrived; to be received once
     */
    public Optional<UcpTagMessage> take(long tag, long mask) {
        long handle = probe(tag, mask, REMOVE);
        if (handle == 0) {
            return Optional.empty();
        }
        UcpTagMessage message = new UcpTagMessage(found(), handle);
        taken.add(message);
        return Optional.of(message);
    }

    /** UCX completes a receive within the call when its message is here already. */
    private void requireStackIfArrived(long tag, long mask) {
        if (UcpDirect.ucp_tag_probe_nb(workerHandle.address(), tag, mask, 0, info.address()) != 0) {
            StackRoom.require();
        }
    }

    private long probe(long tag, long mask, int remove) {
        worker.checkOpen("tag_probe");
        worker.context().requireFeature(UcpFeature.TAG, "tag_probe");
        return UcpDirect.ucp_tag_probe_nb(workerHandle.address(), tag, mask, remove, info.address());
    }

    private UcpTagInfo found() {
        return new UcpTagInfo(ucp_tag_recv_info.sender_tag(info), ucp_tag_recv_info.length(info));
    }

    /**
     * Receives the next message with a matching tag ({@code ucp_tag_recv_nbx}). The completion is always called, with
     * length and tag.
     *
     * @param destination where to; a longer message ends as {@link UcxStatus#MESSAGE_TRUNCATED}
     * @param tag the tag
     * @param mask bits of the tag that have to match
     * @param flags how UCX may treat it; not to be completed within the call, where UCX loses a message that would take
     *     longer
     * @param whenDone called when a message has been received
     * @return the operation, which can be cancelled
     */
    public UcpRequest receive(UcpData destination, long tag, long mask, Set<RequestFlag> flags, Completion whenDone) {
        DataOperation receive = receive("tag_recv", destination, flags);
        requireStackIfArrived(tag, mask);
        return receive.post(worker.requests().onTagReceive, 0, whenDone,
                (token, data, parameters) -> UcpPosts.ucp_tag_recv_nbx(workerHandle,
                data.buffer(), data.count(), tag, mask, parameters));
    }

    /**
     * Receives a message that was taken ({@code ucp_tag_msg_recv_nbx}). The completion is always called, with length
     * and tag.
     *
     * @param message a message of this worker that was not received yet
     * @param destination where to; less than the message's length ends as {@link UcxStatus#MESSAGE_TRUNCATED} and is
     *     the end of the message
     * @param whenDone called when it has been received
     * @return the operation
     */
    public UcpRequest receive(UcpTagMessage message, UcpData destination, Completion whenDone) {
        DataOperation receive = receive("tag_msg_recv", destination, Set.of());
        if (!taken.contains(Objects.requireNonNull(message, "message"))) {
            throw new IllegalStateException("message of tag 0x" + Long.toHexString(message.tag())
                    + ": it was received before, or taken from another worker");
        }
        StackRoom.require();
        return receive.post(worker.requests().onTagReceive, 0, whenDone, (token, data, parameters) -> {
            taken.remove(message);
            return UcpPosts.ucp_tag_msg_recv_nbx(workerHandle, data.buffer(), data.count(),
                    MemorySegment.ofAddress(message.handle()), parameters);
        });
    }

    private DataOperation receive(String name, UcpData destination, Set<RequestFlag> flags) {
        Set<RequestFlag> all = new HashSet<>(RequestFlag.copy(flags));
        worker.checkOpen(name);
        worker.context().requireFeature(UcpFeature.TAG, name);
        all.add(RequestFlag.NO_IMMEDIATE_COMPLETION);
        return new DataOperation(name, worker, null, destination, true, Set.copyOf(all))
                .refuse(RequestFlag.FORCE_IMMEDIATE_COMPLETION,
                "UCX loses the message that it matches but cannot finish within the call");
    }

    void requireNoneTaken() {
        if (taken() > 0) {
            throw new IllegalStateException("worker " + worker.config().name() + ": " + taken()
                    + " tagged messages were taken, receive them");
        }
    }

    /** {@return messages that were taken and wait to be received} */
    public int taken() {
        worker.checkThread();
        return taken.size();
    }
}

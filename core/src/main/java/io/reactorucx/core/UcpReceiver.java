package io.reactorucx.core;

import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.Pinned;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What arrives at a worker from any of its endpoints: active messages and tagged messages.
 *
 * <p><b>Threading, ownership, errors:</b> as {@link UcpWorker} has them.
 */
public abstract sealed class UcpReceiver permits UcpWorker {

    /** Largest id of an active message. Small ids are better: UCX keeps a table up to the largest one. */
    public static final int MAX_AM_ID = 65535;

    private final UcpContext context;
    private final MemorySegment handle;
    private final RequestTable requests;
    private final RequestParameters parameters;
    private final ActiveMessageTable activeMessages;
    private final UcpTags tags;
    private final UcpStreams streams;
    private final Arena arena;
    private @Nullable GenericOperations generics;

    UcpReceiver(UcpContext context, MemorySegment handle, UcpWorkerConfig config, Arena arena) {
        this.context = context;
        this.handle = handle;
        requests = new RequestTable(config.maxInFlight(), arena);
        parameters = new RequestParameters(arena);
        this.arena = arena;
        tags = new UcpTags(this, handle, arena);
        streams = new UcpStreams(this, handle, arena);
        activeMessages = new ActiveMessageTable(this, handle);
        if (context.has(UcpFeature.AM)) {
            activeMessages.clear();
        }
    }

    abstract void checkThread();

    abstract void checkOpen(String operation);

    abstract ArrivalUpcalls upcalls();

    /** {@return the context that it was made from} */
    public final UcpContext context() {
        return context;
    }

    /** {@return operations under way} */
    public final int inFlight() {
        checkThread();
        return requests.inFlight();
    }

    /**
     * Says who takes the active messages of an id; without a handler they are dropped ({@code ucp_worker_set_am_recv_handler}).
     *
     * @param id 0 to 65535
     * @param handler told of each message, null for nobody
     */
    public final void activeMessageHandler(int id, @Nullable ActiveMessageHandler handler) {
        activeMessageHandler(id, handler, false);
    }

    /**
     * Says who takes the active messages of an id, and whether UCX keeps their eager data ({@code UCP_AM_FLAG_PERSISTENT_DATA}).
     *
     * @param id 0 to 65535
     * @param handler told of each message, null for nobody
     * @param persistentData whether all data past {@link UcpWorkerConfig#maxInlineBytes()} is held, also where the transport would hand it
     *     over only within the upcall, so that it had to be copied to the Java heap
     */
    public final void activeMessageHandler(int id, @Nullable ActiveMessageHandler handler, boolean persistentData) {
        checkOpen("worker_set_am_recv_handler");
        context.requireFeature(UcpFeature.AM, "worker_set_am_recv_handler");
        Arguments.range(id, 0, MAX_AM_ID, "id");
        activeMessages.handler(id, handler, persistentData, upcalls().onActiveMessage);
    }

    /**
     * Moves held data into memory of the caller ({@code ucp_am_recv_data_nbx}); the message is over with that, whatever comes of it.
     *
     * @param message a message whose data is held
     * @param destination native memory of at least the message's length
     * @param registration the registered memory that the destination is part of, if it is
     * @param whenDone told when the data has arrived
     * @return whether it has already, and {@code whenDone} is not called
     */
    public final boolean fetch(UcpActiveMessage message, MemorySegment destination, @Nullable UcpMemory registration, Completion whenDone) {
        checkOpen("am_recv_data");
        return activeMessages.fetch(message, destination, registration, whenDone);
    }

    /**
     * Moves held data into data of any layout, but for a generic one ({@code ucp_am_recv_data_nbx}). Eager data, which is here already, is
     * copied by the processor: {@link UcxUnsupportedException} for memory that it may not reach.
     *
     * @param message a message whose data is held
     * @param destination at least as long as the message
     * @param flags how UCX may treat it
     * @param whenDone told when the data has arrived, unless it has already
     * @return the operation
     */
    public final UcpRequest fetchInto(UcpActiveMessage message, UcpData destination, Set<RequestFlag> flags, Completion whenDone) {
        Set<RequestFlag> checked = RequestFlag.copy(flags);
        checkOpen("am_recv_data");
        return activeMessages.fetchInto(message, destination, checked, whenDone);
    }

    /**
     * Gives held data up ({@code ucp_am_data_release}). The sender of a rendezvous sees success, as if it had been delivered.
     *
     * @param message a message whose data is held
     */
    public final void release(UcpActiveMessage message) {
        checkOpen("am_data_release");
        activeMessages.release(message);
    }

    /**
     * Whether the data of a message still waits to be fetched or released.
     *
     * @param message a message of this worker
     * @return whether one of the two is due
     */
    public final boolean holds(UcpActiveMessage message) {
        checkThread();
        return activeMessages.holds(message);
    }

    /** {@return messages whose data UCX holds until it is fetched or released} */
    public final int heldMessages() {
        checkThread();
        return activeMessages.held();
    }

    /**
     * Receives the next message with a matching tag ({@code ucp_tag_recv_nbx}). The completion is always called, with length and tag.
     *
     * @param destination native memory, may be empty; a longer message ends as {@link UcxStatus#MESSAGE_TRUNCATED}
     * @param registration the registered memory that the destination is part of, if it is
     * @param tag the tag
     * @param mask bits of the tag that have to match
     * @param whenDone told when a message has been received
     * @return a number for {@link #cancelReceive(long)}
     */
    public final long tagReceive(MemorySegment destination, @Nullable UcpMemory registration, long tag, long mask, Completion whenDone) {
        checkOpen("tag_recv");
        context.requireFeature(UcpFeature.TAG, "tag_recv");
        MemorySegment target = UcpMemory.within(registration, Arguments.destination(destination, "destination"));
        Pinned pin = context.pinned(registration, target);
        long token = requests.begin("tag_recv", whenDone, null, pin, destination);
        requests.posted("tag_recv", null, token, UcpDirect.ucp_tag_recv_nbx(handle.address(), target, target.byteSize(), tag,
                mask, parameters.withoutImmediateCompletion(requests.onTagReceive, token, UcpMemory.told(registration, target)).address()));
        return token;
    }

    /**
     * Gives up a receive that no message has matched yet ({@code ucp_request_cancel}); its completion is called with
     * {@link UcxStatus#CANCELED}. One that is matched completes as if nothing had happened.
     *
     * @param receive what {@link #tagReceive} answered
     */
    public final void cancelReceive(long receive) {
        checkOpen("request_cancel");
        long request = requests.request(receive);
        if (request != 0) {
            ucx_h.ucp_request_cancel(handle, MemorySegment.ofAddress(request));
        }
    }

    /** Gives up all receives that no message has matched yet, as {@link #cancelReceive(long)} does one. */
    public final void cancelReceives() {
        checkOpen("request_cancel");
        for (long request : requests.cancellable()) {
            ucx_h.ucp_request_cancel(handle, MemorySegment.ofAddress(request));
        }
    }

    /** {@return tagged messages: look, take, and receive into data of any layout} */
    public final UcpTags tags() {
        return tags;
    }

    /** {@return which endpoints have stream data} */
    public final UcpStreams streams() {
        return streams;
    }

    abstract @Nullable UcpEndpoint endpoint(long endpointHandle);

    /** Operations whose data packs itself; made when there is the first. */
    final GenericOperations generics() {
        GenericOperations made = generics;
        if (made == null) {
            made = new GenericOperations(arena);
            generics = made;
        }
        return made;
    }

    /** Throws when a generic datatype comes back to the worker: from inside UCX, or while its operation, checked already, is posted. */
    final void checkNotInCallback() {
        if (generics != null && generics.inCallback()) {
            throw new IllegalStateException("worker: called by a generic datatype, which may not use it");
        }
    }

    /** Gives back what was made for the data of operations, when none is left. */
    final void closeData() {
        activeMessages.releaseAll();
        if (generics != null) {
            generics.close();
        }
    }

    final MemorySegment handle() {
        return handle;
    }

    final RequestTable requests() {
        return requests;
    }

    final RequestParameters parameters() {
        return parameters;
    }

    final ActiveMessageTable activeMessages() {
        return activeMessages;
    }
}

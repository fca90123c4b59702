package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.UcpMacros;
import io.reactorucx.core.ffi.UcpUpcalls;
import io.reactorucx.core.internal.memory.Pinned;
import io.reactorucx.core.internal.worker.LostEvents;
import io.reactorucx.core.internal.worker.RequestBlocks;
import io.reactorucx.core.internal.worker.RequestKind;
import io.reactorucx.core.internal.worker.SlotMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operations in flight, a slot each; {@code user_data} carries a slot's index and generation.
 *
 * <p>A slot keeps everything reachable and mapped that UCX may still touch, until UCX has completed the operation.
 * Upcalls only record the outcome here; {@link #deliver(int)} calls the completions after the native call has returned.
 * Thread: worker.
 */
final class RequestTable {

    static final long NONE = -1;

    private static final Logger LOG = LoggerFactory.getLogger(RequestTable.class);
    private static final int INITIAL_SLOTS = 64;
    /** The number of operations that the log names. */
    private static final int DESCRIBED = 8;
    private static final Completion NO_COMPLETION = (rawStatus, length, senderTag) -> { };

    /** The upcalls at the end of an operation, a stub of each kind for a worker. */
    final MemorySegment onSend;
    final MemorySegment onTagReceive;
    final MemorySegment onDataReceive;

    /** The limit of each {@link RequestKind}, and how many of that kind are in flight. */
    private final int[] limits;
    private final int[] taken = new int[RequestKind.values().length];
    private final Arena arena;
    private final RegistrationCache registrations;
    private final SlotMemory slotMemory;
    private @Nullable RequestBlocks userRequests;
    private int[] generation = new int[0];
    private @Nullable Completion[] completion = new Completion[0];
    private @Nullable UcpEndpoint[] endpoint = new UcpEndpoint[0];
    private @Nullable Pinned[] pinned = new Pinned[0];
    private @Nullable Object[] memory = new Object[0];
    private long[] request = new long[0];
    private long[] length = new long[0];
    private long[] tag = new long[0];
    private byte[] status = new byte[0];
    private byte[] kind = new byte[0];
    private int[] free = new int[0];
    private int freeCount;
    private int withoutEndpoint;
    private int[] ready = new int[0];
    private int readyHead;
    private int readyCount;
    private final LostEvents lost = new LostEvents();
    /**
     * The operation that is being posted. It gets its slot when UCX keeps it: most small sends are done within the
     * call.
     */
    private long posting = NONE;
    private byte postingKind;
    private @Nullable Completion postingCompletion;
    private @Nullable UcpEndpoint postingEndpoint;
    private @Nullable Pinned postingPinned;
    private @Nullable Object postingMemory;
    private boolean completedWhilePosting;

    RequestTable(int limit, Arena arena, RegistrationCache registrations) {
        this.registrations = registrations;
        this.limits = Arrays.stream(RequestKind.values()).mapToInt(each -> each.limit(limit)).toArray();
        this.arena = arena;
        this.slotMemory = new SlotMemory(arena);
        this.onSend = UcpUpcalls.send(this::sent, arena);
        this.onTagReceive = UcpUpcalls.receive(this::tagReceived, arena);
        this.onDataReceive = UcpUpcalls.receive(this::dataReceived, arena);
        grow(INITIAL_SLOTS);
    }

    private void grow(int slots) {
        int before = generation.length;
        slotMemory.grow(slots);
        generation = Arrays.copyOf(generation, slots);
        completion = Arrays.copyOf(completion, slots);
        endpoint = Arrays.copyOf(endpoint, slots);
        pinned = Arrays.copyOf(pinned, slots);
        memory = Arrays.copyOf(memory, slots);
        request = Arrays.copyOf(request, slots);
        length = Arrays.copyOf(length, slots);
        tag = Arrays.copyOf(tag, slots);
        status = Arrays.copyOf(status, slots);
        kind = Arrays.copyOf(kind, slots);
        free = Arrays.copyOf(free, slots);
        for (int slot = slots - 1; slot >= before; slot--) {
            free[freeCount++] = slot;
        }
        int[] moved = new int[slots];
        for (int i = 0; i < readyCount; i++) {
            moved[i] = ready[(readyHead + i) % before];
        }
        ready = moved;
        readyHead = 0;
    }

    int inFlight() {
        dropUnposted();
        return generation.length - freeCount;
    }

    /**
     * Operations of the worker itself that UCX has not completed: receives, flushes, and fetches of messages that name
     * no sender.
     */
    int withoutEndpoint() {
        dropUnposted();
        return withoutEndpoint;
    }

    /** Returns how many operations of a kind may still begin. */
    int room(RequestKind of) {
        dropUnposted();
        return limits[of.ordinal()] - taken[of.ordinal()];
    }

    /** Prepares a slot for an operation that is about to be posted. */
    long begin(String operation, Completion whenDone, @Nullable UcpEndpoint of, @Nullable Pinned pin,
            @Nullable Object keepReachable) {
        return begin(RequestKind.GENERAL, operation, whenDone, of, pin, keepReachable);
    }

    /** As above, for an operation of a kind, which waits for none of another kind. */
    long begin(RequestKind of, String operation, Completion whenDone, @Nullable UcpEndpoint endpointOf,
            @Nullable Pinned pin, @Nullable Object keepReachable) {
        Objects.requireNonNull(whenDone, "whenDone");
        dropUnposted();
        int ordinal = of.ordinal();
        if (taken[ordinal] >= limits[ordinal]) {
            throw new UcxException(UcxStatus.NO_RESOURCE, operation, endpointOf == null ? null : endpointOf.peer(),
                    "all " + limits[ordinal] + " operations of its kind that this worker may have in flight are");
        }
        if (pin != null) {
            pin.pin();
        }
        if (freeCount == 0) {
            grow(2 * generation.length);
        }
        postingKind = (byte) ordinal;
        posting = token(free[freeCount - 1]);
        postingCompletion = whenDone;
        postingEndpoint = endpointOf;
        postingPinned = pin;
        postingMemory = keepReachable;
        completedWhilePosting = false;
        return posting;
    }

    /** Takes the slot: the operation does not end with the call. */
    private void claimSlot(long token) {
        int slot = slot(token);
        freeCount--;
        kind[slot] = postingKind;
        taken[postingKind]++;
        completion[slot] = postingCompletion;
        endpoint[slot] = postingEndpoint;
        pinned[slot] = postingPinned;
        memory[slot] = postingMemory;
        if (postingEndpoint == null) {
            withoutEndpoint++;
        } else {
            postingEndpoint.operationStarted();
        }
        forgetPosting();
    }

    private void forgetPosting() {
        posting = NONE;
        postingCompletion = null;
        postingEndpoint = null;
        postingPinned = null;
        postingMemory = null;
    }

    /**
     * Gives back the slot of a call that threw in Java before it reached UCX, such as one on a segment closed
     * meanwhile.
     */
    void dropUnposted() {
        if (posting != NONE) {
            endedInCall(posting);
        }
    }

    /** Copies a small header into the slot's own memory. */
    MemorySegment header(long token, MemorySegment header) {
        long bytes = header.byteSize();
        if (bytes == 0) {
            return MemorySegment.NULL;
        }
        MemorySegment copy = scratch(token, bytes);
        MemorySegment.copy(header, 0, copy, 0, bytes);
        return copy;
    }

    /** Returns whether a message of so many bytes, header and payload, fits into a slot's own memory. */
    static boolean isSmall(long bytes) {
        return bytes <= SlotMemory.BYTES;
    }

    /**
     * Copies a small message into the slot's own memory, so that none of the caller's memory is pinned or locked for
     * it, and returns the address.
     */
    long copy(long token, MemorySegment header, MemorySegment payload) {
        return slotMemory.copy(slot(token), header, payload);
    }

    /**
     * Native memory that lives as long as the operation: the slot's own where it is large enough, which is the same on
     * every call.
     */
    MemorySegment scratch(long token, long bytes) {
        return isSmall(bytes) ? slotMemory.of(slot(token), bytes)
                : keep(token, Arena.ofAuto().allocate(bytes, Long.BYTES));
    }

    /** Keeps memory reachable while the operation is in flight. */
    MemorySegment keep(long token, MemorySegment segment) {
        Object before = postingMemory;
        postingMemory = before == null ? segment : new Object[] {before, segment};
        return segment;
    }

    /**
     * Handles the status pointer that UCX returned: done, refused or in flight. Returns whether the operation is done.
     */
    boolean posted(String operation, @Nullable String peer, long token, long answer) {
        if (answer == 0) {
            endedInCall(token);
            return true;
        }
        if (UcpMacros.isError(answer)) {
            registrations.forget(postingMemory);
            endedInCall(token);
            throw new UcxException(UcpMacros.status(answer), operation, peer);
        }
        if (completedWhilePosting) {
            free(answer);
        } else {
            claimSlot(token);
            request[slot(token)] = answer;
        }
        return false;
    }

    private void free(long requestPointer) {
        if (userRequests == null || !userRequests.contains(requestPointer)) {
            UcpDirect.ucp_request_free(requestPointer);
        }
    }

    /** A block for UCX's request that is the slot's own, instead of one of UCX's; NULL when the slot has none. */
    MemorySegment userRequest(long token, UcpContext context) {
        RequestBlocks blocks = userRequests;
        if (blocks == null) {
            blocks = new RequestBlocks(context.attributes().requestSize(), limits[RequestKind.GENERAL.ordinal()],
                    arena);
            userRequests = blocks;
        }
        return blocks.of(slot(token));
    }

    /**
     * As {@link #posted}, for a receive whose completion is always called: when it ended within the call, its length is
     * behind a pointer.
     */
    boolean postedWithLength(String operation, @Nullable String peer, long token, long answer, MemorySegment bytes) {
        if (answer == 0) {
            claimSlot(token);
            ended(token, (byte) 0, bytes.get(ValueLayout.JAVA_LONG, 0), 0);
            return false;
        }
        return posted(operation, peer, token, answer);
    }

    /**
     * As {@link #posted}, for a close: a close that could not flush has closed the endpoint nevertheless, so the error
     * is its outcome, not a refusal.
     */
    boolean postedClose(long token, long answer) {
        if (UcpMacros.isError(answer)) {
            claimSlot(token);
            ended(token, UcpMacros.status(answer), 0, 0);
            return false;
        }
        return posted("ep_close", null, token, answer);
    }

    /** The call has finished the operation, or has refused it: there will be no callback. */
    private void endedInCall(long token) {
        Pinned pin = postingPinned;
        generation[slot(token)]++;
        forgetPosting();
        if (pin != null) {
            pin.unpin();
        }
    }

    private void sent(long requestPointer, byte rawStatus, long userData) {
        endedByUpcall(requestPointer, rawStatus, 0, 0, userData);
    }

    private void tagReceived(long requestPointer, byte rawStatus, long info, long userData) {
        endedByUpcall(requestPointer, rawStatus, 0, info, userData);
    }

    private void dataReceived(long requestPointer, byte rawStatus, long bytes, long userData) {
        endedByUpcall(requestPointer, rawStatus, bytes, 0, userData);
    }

    /**
     * Runs inside UCX: it only records the outcome and never throws, since an exception that reaches C ends the JVM.
     */
    private void endedByUpcall(long requestPointer, byte rawStatus, long bytes, long tagInfo, long token) {
        try {
            if (requestPointer == 0) {
                throw LostEvents.WARM_UP;
            }
            // UCX fills the information only for these two.
            boolean hasInfo = tagInfo != 0 && (rawStatus == 0 || rawStatus == UcxStatus.MESSAGE_TRUNCATED.code());
            long received = hasInfo ? UcpDirect.length(tagInfo) : bytes;
            long senderTag = hasInfo ? UcpDirect.sender_tag(tagInfo) : 0;
            if (ended(token, rawStatus, received, senderTag)) {
                free(requestPointer);
            }
        } catch (Throwable t) {
            lost.add(t);
        }
    }

    /** Records, within an upcall, how an operation ended. Returns whether the upcall should free the request. */
    boolean ended(long token, byte rawStatus, long bytes, long senderTag) {
        boolean withinCall = posting != NONE && token == posting;
        if (withinCall) {
            claimSlot(token);
            completedWhilePosting = true;
        }
        int slot = slot(token);
        if (slot >= generation.length || generation[slot] != (int) (token >>> Integer.SIZE)
                || completion[slot] == null) {
            LOG.warn("UCX completed an operation that is not in flight, token {}", token);
            return false;
        }
        if (endpoint[slot] == null) {
            withoutEndpoint--;
        }
        status[slot] = rawStatus;
        length[slot] = bytes;
        tag[slot] = senderTag;
        request[slot] = 0;
        ready[(readyHead + readyCount++) % ready.length] = slot;
        return !withinCall;
    }

    /** The request of an operation in flight, 0 for any other. */
    long request(long token) {
        int slot = slot(token);
        boolean current = slot < generation.length && generation[slot] == (int) (token >>> Integer.SIZE)
                && completion[slot] != null;
        return current ? request[slot] : 0;
    }

    /**
     * Requests of a completion, or of any if it is null, on the worker itself: receives, and fetches, of which UCX
     * cancels only the former.
     */
    long[] cancellable(@Nullable Completion of) {
        return IntStream.range(0, generation.length).filter(slot -> endpoint[slot] == null && request[slot] != 0
                && (of == null || completion[slot] == of)).mapToLong(slot -> request[slot]).toArray();
    }

    /** Calls the completions of at most a number of outcomes. */
    int deliver(int most) {
        int delivered = 0;
        while (readyCount > 0 && delivered < most) {
            int slot = ready[readyHead];
            readyHead = (readyHead + 1) % ready.length;
            readyCount--;
            Completion whenDone = completion[slot];
            byte rawStatus = status[slot];
            long bytes = length[slot];
            long senderTag = tag[slot];
            release(slot);
            delivered++;
            if (whenDone != null) {
                call(whenDone, rawStatus, bytes, senderTag);
            }
        }
        return delivered;
    }

    LostEvents lost() {
        return lost;
    }

    int readyCount() {
        return readyCount;
    }

    /** Describes the operations in flight, for the log. */
    String describe() {
        return IntStream.range(0, generation.length).filter(slot -> completion[slot] != null).limit(DESCRIBED)
                .mapToObj(slot -> (endpoint[slot] == null ? "a receive, fetch or flush of the worker"
                        : "an operation towards " + endpoint[slot].peer())
                        + (memory[slot] instanceof MemorySegment segment ? " on " + segment.byteSize() + " bytes" : ""))
                .toList().toString();
    }

    /** Completes all operations as cancelled. The slots keep what UCX may still touch until the process ends. */
    void endAll() {
        for (int slot = 0; slot < generation.length; slot++) {
            Completion whenDone = completion[slot];
            if (whenDone != null && whenDone != NO_COMPLETION) {
                completion[slot] = NO_COMPLETION;
                Pinned pin = pinned[slot];
                if (pin != null) {
                    pin.abandon();
                }
                call(whenDone, (byte) UcxStatus.CANCELED.code(), 0, 0);
            }
        }
    }

    private void call(Completion whenDone, byte rawStatus, long bytes, long senderTag) {
        try {
            whenDone.complete(rawStatus, bytes, senderTag);
        } catch (Throwable t) {
            LOG.error("A completion threw", t);
            lost.rethrowIfFatal(t);
        }
    }

    private void release(int slot) {
        UcpEndpoint of = endpoint[slot];
        Pinned pin = pinned[slot];
        if (!(pin instanceof UcpMemory.Registered)) {
            registrations.forget(memory[slot]);
        }
        completion[slot] = null;
        endpoint[slot] = null;
        pinned[slot] = null;
        memory[slot] = null;
        request[slot] = 0;
        generation[slot]++;
        taken[kind[slot]]--;
        free[freeCount++] = slot;
        if (pin != null) {
            pin.unpin();
        }
        if (of != null) {
            of.operationEnded();
        }
    }

    private long token(int slot) {
        return (long) generation[slot] << Integer.SIZE | slot;
    }

    private static int slot(long token) {
        return (int) token & Integer.MAX_VALUE;
    }
}

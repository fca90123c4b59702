package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_am_handler_param;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.Pinned;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who takes which active messages of a worker, and the messages whose data UCX holds for them. */
final class ActiveMessageTable {

    /** As many inline messages are kept for reuse: more than arrive between two deliveries, most of the time. */
    private static final int MAX_SPARE = 256;

    private final UcpReceiver worker;
    private final MemorySegment workerHandle;
    private @Nullable ActiveMessageHandler[] handlers = new ActiveMessageHandler[0];
    private final Set<UcpActiveMessage> held = new HashSet<>();
    private final ArrayDeque<UcpActiveMessage> spare = new ArrayDeque<>();

    ActiveMessageTable(UcpReceiver worker, MemorySegment workerHandle) {
        this.worker = worker;
        this.workerHandle = workerHandle;
    }

    /**
     * Makes UCX know every id, with nobody behind it. Up to 1.16 UCX leaves the entries between the ids that were set uninitialised, and
     * reads the entry of a rendezvous before it checks the id: a message that nobody waits for would jump anywhere.
     */
    void clear() {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment params = parameters(MemorySegment.NULL, 0, call);
            for (int id = UcpWorker.MAX_AM_ID; id >= 0; id--) {
                set(id, params);
            }
        }
    }

    void handler(int id, @Nullable ActiveMessageHandler handler, boolean persistentData, MemorySegment stub) {
        try (Arena call = Arena.ofConfined()) {
            set(id, parameters(handler == null ? MemorySegment.NULL : stub, persistentData ? ucx_h.UCP_AM_FLAG_PERSISTENT_DATA() : 0, call));
        }
        if (id >= handlers.length) {
            handlers = Arrays.copyOf(handlers, id + 1);
        }
        handlers[id] = handler;
    }

    private static MemorySegment parameters(MemorySegment stub, int flags, Arena arena) {
        MemorySegment params = ucp_am_handler_param.allocate(arena);
        ucp_am_handler_param.field_mask(params, ucx_h.UCP_AM_HANDLER_PARAM_FIELD_ID() | ucx_h.UCP_AM_HANDLER_PARAM_FIELD_CB()
                | ucx_h.UCP_AM_HANDLER_PARAM_FIELD_ARG() | ucx_h.UCP_AM_HANDLER_PARAM_FIELD_FLAGS());
        ucp_am_handler_param.flags(params, ucx_h.UCP_AM_FLAG_WHOLE_MSG() | flags);
        ucp_am_handler_param.cb(params, stub);
        return params;
    }

    private void set(int id, MemorySegment params) {
        ucp_am_handler_param.id(params, id);
        ucp_am_handler_param.arg(params, MemorySegment.ofAddress(id));
        UcpContext.check(ucx_h.ucp_worker_set_am_recv_handler(workerHandle, params), "worker_set_am_recv_handler");
    }

    /** An object for an inline message, until that is {@linkplain #deliver delivered}. */
    UcpActiveMessage spare() {
        UcpActiveMessage unused = spare.pollLast();
        return unused == null ? new UcpActiveMessage() : unused;
    }

    void arrived(UcpActiveMessage message) {
        if (!message.isInline()) {
            held.add(message);
        }
    }

    void deliver(UcpActiveMessage message) {
        ActiveMessageHandler handler = message.id() < handlers.length ? handlers[message.id()] : null;
        boolean taken = false;
        try {
            if (handler != null) {
                handler.onMessage(message);
                taken = true;
            }
        } finally {
            if (message.isReused()) {
                message.over();
                if (spare.size() < MAX_SPARE) {
                    spare.addLast(message);
                }
            } else if (!taken && held.contains(message)) {
                release(message);
            }
        }
    }

    /** Claims held data, once. */
    private void claim(UcpActiveMessage message) {
        checkHeld(message);
        held.remove(message);
    }

    private void checkHeld(UcpActiveMessage message) {
        Objects.requireNonNull(message, "message");
        if (message.isInline()) {
            throw new IllegalArgumentException("message " + message.id() + ": its data is inline, read payload()");
        }
        if (!held.contains(message)) {
            throw new IllegalStateException("message " + message.id() + ": its " + message.length()
                    + " bytes were fetched or released before, or belong to another worker");
        }
    }

    boolean fetch(UcpActiveMessage message, MemorySegment destination, @Nullable UcpMemory registration, Completion whenDone) {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(whenDone, "whenDone");
        MemorySegment target = UcpMemory.within(registration, Arguments.destination(destination, "destination"));
        long length = message.length();
        if (target.byteSize() < length) {
            throw new IllegalArgumentException("destination of " + destination.byteSize() + " bytes: the message has " + length);
        }
        checkHeld(message);
        if (!message.isRendezvous()) {
            MemorySegment.copy(MemorySegment.ofAddress(message.data()).reinterpret(length), 0, target, 0, length);
            release(message);
            return true;
        }
        RequestTable requests = worker.requests();
        Pinned pin = worker.context().pinned(registration, target);
        long token = requests.begin("am_recv_data", whenDone, message.replyEndpoint(), pin, destination);
        claim(message);
        // Exactly the message's length: with less room UCX aborts the process, with more it reports the room as the length.
        MemorySegment parameters = worker.parameters().of(worker.requests().onDataReceive, token, UcpMemory.told(registration, target));
        return requests.posted("am_recv_data", null, token,
                ucx_h.ucp_am_recv_data_nbx(workerHandle, MemorySegment.ofAddress(message.data()), target, length, parameters));
    }

    /** As the other fetch, into data of any layout but one that unpacks itself. */
    UcpRequest fetchInto(UcpActiveMessage message, UcpData destination, Set<RequestFlag> flags, Completion whenDone) {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(whenDone, "whenDone");
        DataOperation fetch = new DataOperation("am_recv_data", worker, message.replyEndpoint(), destination, true, flags);
        if (destination.generic() != null) {
            throw new UcxUnsupportedException("am_recv_data", "a generic datatype cannot take an active message, fetch into memory");
        }
        long length = message.length();
        if (destination.byteSize() < length) {
            throw new IllegalArgumentException("destination of " + destination.byteSize() + " bytes: the message has " + length);
        }
        checkHeld(message);
        if (!message.isRendezvous()) {
            return fetch.postCopy(MemorySegment.ofAddress(message.data()).reinterpret(length), whenDone, () -> release(message));
        }
        return fetch.post(worker.requests().onDataReceive, 0, whenDone, (token, data, parameters) -> {
            claim(message);
            UcpData.Native exact = destination.toNative(length);
            worker.requests().keep(token, exact.buffer());
            return ucx_h.ucp_am_recv_data_nbx(workerHandle, MemorySegment.ofAddress(message.data()), exact.buffer(), exact.count(), parameters);
        });
    }

    void release(UcpActiveMessage message) {
        claim(message);
        ucx_h.ucp_am_data_release(workerHandle, MemorySegment.ofAddress(message.data()));
    }

    void releaseAll() {
        List.copyOf(held).forEach(this::release);
    }

    boolean holds(UcpActiveMessage message) {
        return held.contains(message);
    }

    int held() {
        return held.size();
    }
}

package io.reactorucx.core;

import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.UcpPosts;
import io.reactorucx.core.ffi.ucp_am_handler_param;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.memory.Pinned;
import io.reactorucx.core.internal.worker.RequestKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The active messages that arrive at a worker: a handler for each id, and the messages whose data UCX holds until it is
 * fetched or released.
 *
 * <p><b>Threading, ownership, errors:</b> as {@link UcpWorker} has them.
 */
public final class UcpActiveMessages {

    /** Largest id of an active message. Small ids are better: UCX keeps a table up to the largest one. */
    public static final int MAX_ID = 65535;
    /** As many inline messages are kept for reuse: most of the time more than arrive between two deliveries. */
    private static final int MAX_SPARE = 256;
    private final UcpWorker worker;
    private final MemorySegment workerHandle;
    private @Nullable ActiveMessageHandler[] handlers = new ActiveMessageHandler[0];
    private @Nullable DataPlacement[] placements = new DataPlacement[0];
    private final Set<UcpActiveMessage> held = new HashSet<>();
    private int carried; // Those of them whose data another one of them has.
    private final ArrayDeque<UcpActiveMessage> spare = new ArrayDeque<>();

    UcpActiveMessages(UcpWorker worker, MemorySegment workerHandle) {
        this.worker = worker;
        this.workerHandle = workerHandle;
    }

    /**
     * Tells UCX every id, without a callback. Up to 1.16 UCX leaves the entries between the ids that were set
     * uninitialised, and reads the entry of a rendezvous before it checks the id: a message of an id without a handler
     * would jump to any address.
     */
    void clear() {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment params = parameters(MemorySegment.NULL, 0, call);
            for (int id = MAX_ID; id >= 0; id--) {
                set(id, params);
            }
        }
    }

    /**
     * Sets the handler of an id; messages of an id without one are dropped ({@code ucp_worker_set_am_recv_handler}).
     *
     * @param id 0 to {@value #MAX_ID}
     * @param handler called with each message, null for none
     */
    public void handler(int id, @Nullable ActiveMessageHandler handler) {
        handler(id, handler, false);
    }

    /**
     * Sets the handler of an id, and whether UCX keeps the eager data of its messages ({@code
     * UCP_AM_FLAG_PERSISTENT_DATA}).
     *
     * @param id 0 to {@value #MAX_ID}
     * @param handler called with each message, null for none
     * @param persistentData whether UCX holds all data past {@link UcpWorkerConfig#maxInlineBytes()}, also where the
     *     transport lends it only during the upcall, so that it would have to be copied to the Java heap
     */
    public void handler(int id, @Nullable ActiveMessageHandler handler, boolean persistentData) {
        worker.checkOpen("worker_set_am_recv_handler");
        worker.context().requireFeature(UcpFeature.AM, "worker_set_am_recv_handler");
        Arguments.range(id, 0, MAX_ID, "id");
        MemorySegment stub = worker.upcalls().onActiveMessage;
        try (Arena call = Arena.ofConfined()) {
            int flags = persistentData ? ucx_h.UCP_AM_FLAG_PERSISTENT_DATA() : 0;
            set(id, parameters(handler == null ? MemorySegment.NULL : stub, flags, call));
        }
        if (id >= handlers.length) {
            handlers = Arrays.copyOf(handlers, id + 1);
        }
        handlers[id] = handler;
    }

    /**
     * Sets where the data of messages of an id is placed that is larger than {@link UcpWorkerConfig#maxInlineBytes()}
     * and that UCX does not hold. Such a message is no inline one: it is {@linkplain #take taken}, fetched or released.
     *
     * @param id 0 to {@value #MAX_ID}
     * @param placement finds the places, null for the Java heap
     */
    public void placement(int id, @Nullable DataPlacement placement) {
        worker.checkOpen("am_placement");
        Arguments.range(id, 0, MAX_ID, "id");
        if (id >= placements.length) {
            placements = Arrays.copyOf(placements, id + 1);
        }
        placements[id] = placement;
    }

    /** Called inside UCX: copies data to its place. Returns null if there is none. */
    @Nullable PlacedData place(int id, byte[] header, long data, int length) {
        DataPlacement placement = id < placements.length ? placements[id] : null;
        return placement == null ? null
                : worker.generics().callInside(() -> copied(placement.place(header, length), data, length));
    }

    private static @Nullable PlacedData copied(@Nullable PlacedData place, long data, int length) {
        if (place == null) {
            return null;
        }
        boolean copied = false;
        try {
            UcpDirect.copy(data, place.memory(), length);
            copied = true;
            return place;
        } finally {
            if (!copied) {
                place.release();
            }
        }
    }

    private static MemorySegment parameters(MemorySegment stub, int flags, Arena arena) {
        MemorySegment params = ucp_am_handler_param.allocate(arena);
        ucp_am_handler_param.field_mask(params, ucx_h.UCP_AM_HANDLER_PARAM_FIELD_ID()
                | ucx_h.UCP_AM_HANDLER_PARAM_FIELD_CB()
                | ucx_h.UCP_AM_HANDLER_PARAM_FIELD_ARG() | ucx_h.UCP_AM_HANDLER_PARAM_FIELD_FLAGS());
        ucp_am_handler_param.flags(params, ucx_h.UCP_AM_FLAG_WHOLE_MSG() | flags);
        ucp_am_handler_param.cb(params, stub);
        return params;
    }

    private void set(int id, MemorySegment params) {
        ucp_am_handler_param.id(params, id);
        ucp_am_handler_param.arg(params, MemorySegment.ofAddress(id));
        NativeStatus.check(ucx_h.ucp_worker_set_am_recv_handler(workerHandle, params), "worker_set_am_recv_handler");
    }

    /** An object for an inline message, until that is {@linkplain #deliver delivered}. */
    UcpActiveMessage spare() {
        UcpActiveMessage unused = spare.pollLast();
        return unused == null ? new UcpActiveMessage() : unused;
    }

    /** The data of a message is with UCX or the sender, until it is fetched or released. */
    void hold(UcpActiveMessage message) {
        held.add(message);
    }

    /** Forgets a message that could not be queued; UCX releases its data when the upcall returns. */
    void lost(UcpActiveMessage message) {
        if (held.remove(message) && message.offered() instanceof PlacedData placed) {
            placed.release();
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
                drop(message);
            }
        }
    }

    /**
     * Makes a message of data that UCX does not carry, and that another message tells of. It is held until it is
     * fetched or released, as a rendezvous is, and comes from the same sender as the other message.
     *
     * @param carrier the message that tells of it, of this worker
     * @param id the id of the new message
     * @param header its header, which the caller does not change any more
     * @param length the size of the data in bytes
     * @param data where the data is
     * @return the message
     */
    public UcpActiveMessage offer(UcpActiveMessage carrier, int id, byte[] header, long length, OfferedData data) {
        worker.checkOpen("am_offer");
        Arguments.range(id, 0, MAX_ID, "id");
        if (length < 0) {
            throw new IllegalArgumentException("length " + length + ": must be at least 0");
        }
        UcpActiveMessage offer = new UcpActiveMessage(carrier, id, Objects.requireNonNull(header, "header"), length,
                Objects.requireNonNull(data, "data"));
        held.add(offer);
        carried += data.isLocal() ? 0 : 1;
        return offer;
    }

    /**
     * Hands the handler of an id a message that has come by another way than UCX, as if UCX had brought it over an
     * endpoint: copied to the place that its handler has, or to the Java heap.
     *
     * @param id the id of the message
     * @param source memory that has the header, and the data behind it; only read within the call
     * @param offset where the header begins
     * @param headerBytes the size of the header
     * @param dataBytes the size of the data
     * @param from the endpoint that leads back to the sender
     */
    public void arrived(int id, DataPlacement.Source source, long offset, int headerBytes, int dataBytes,
            UcpEndpoint from) {
        worker.checkOpen("am_arrived");
        Arguments.range(id, 0, MAX_ID, "id");
        Arguments.bounds(offset, headerBytes, source.size(), "header");
        Arguments.bounds(offset + headerBytes, dataBytes, source.size(), "data");
        from.heard();
        DataPlacement placement = id < placements.length ? placements[id] : null;
        if (placement != null && dataBytes > worker.config().maxInlineBytes()) {
            byte[] header = new byte[headerBytes];
            source.copyTo(offset, header, headerBytes);
            PlacedData place = placement.place(header, dataBytes);
            if (place != null) {
                source.copyTo(offset + headerBytes, place.memory(), dataBytes);
                UcpActiveMessage placed = new UcpActiveMessage(id, header, dataBytes, place, from);
                hold(placed);
                deliver(placed);
                return;
            }
        }
        UcpActiveMessage message = spare();
        int size = Math.addExact(headerBytes, dataBytes);
        byte[] bytes = message.arrayFor(size);
        source.copyTo(offset, bytes, size);
        message.become(id, bytes, headerBytes, dataBytes, from);
        deliver(message);
    }

    /** Claims held data, once. */
    private void claim(UcpActiveMessage message) {
        checkHeld(message);
        held.remove(message);
        carried -= message.offered() == null || message.isLocal() ? 0 : 1;
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

    /**
     * Takes over data from where it was placed. The message ends with that.
     *
     * @param message a message whose data is held
     * @return the data, which is the caller's, in the first bytes of its memory; null if it was not placed, and has to
     *     be fetched or released
     */
    public @Nullable PlacedData take(UcpActiveMessage message) {
        worker.checkOpen("am_take");
        checkHeld(message);
        if (message.offered() instanceof PlacedData placed) {
            claim(message);
            return placed;
        }
        return null;
    }

    /**
     * Shows held data where it is. The message ends with that, whatever the reader throws.
     *
     * @param message a message whose data is held and {@link UcpActiveMessage#isLocal()}
     * @param reader gets read-only memory, which ends with the call
     */
    public void read(UcpActiveMessage message, Consumer<? super MemorySegment> reader) {
        worker.checkOpen("am_read");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(reader, "reader");
        checkHeld(message);
        if (!message.isLocal()) {
            throw new UcxUnsupportedException("am_read", "the data is with the sender, fetch it");
        }
        OfferedData offered = message.offered();
        MemorySegment memory = offered == null ? MemorySegment.ofAddress(message.data()) : offered.memory();
        try (Arena call = Arena.ofConfined()) {
            if (offered != null) {
                offered.requireIntact();
            }
            reader.accept(memory.reinterpret(message.length(), call, null).asReadOnly());
            if (offered != null) {
                // What was read was read before that is looked up.
                VarHandle.acquireFence();
                offered.requireIntact();
            }
        } finally {
            if (held.contains(message)) {
                drop(message);
            }
        }
    }

    /**
     * Moves held data into memory of the caller ({@code ucp_am_recv_data_nbx}). The message ends with that, whether or
     * not it succeeds.
     *
     * @param message a message whose data is held
     * @param destination native memory of at least the message's length
     * @param registration the registered memory that the destination is part of, if it is
     * @param whenDone called when the data has arrived
     * @return whether it has arrived within the call, so that {@code whenDone} is not called
     */
    public boolean fetch(UcpActiveMessage message, MemorySegment destination, @Nullable UcpMemory registration,
            Completion whenDone) {
        worker.checkOpen("am_recv_data");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(whenDone, "whenDone");
        MemorySegment target = UcpMemory.within(registration, Arguments.destination(destination, "destination"));
        long length = message.length();
        if (target.byteSize() < length) {
            throw new IllegalArgumentException("destination of " + destination.byteSize() + " bytes: the message has "
                    + length);
        }
        checkHeld(message);
        Pinned pin = worker.context().pinned(registration, target, "destination");
        OfferedData offered = message.offered();
        if (offered != null && !offered.isLocal()) {
            worker.context().requireUsable(registration);
            boolean done = offered.fetch(target.asSlice(0, length), registration, whenDone);
            claim(message);
            return done;
        }
        if (offered != null) {
            claim(message);
            offered.copyTo(target.asSlice(0, length));
            return true;
        }
        if (!message.isRendezvous()) {
            MemorySegment.copy(MemorySegment.ofAddress(message.data()).reinterpret(length), 0, target, 0, length);
            drop(message);
            return true;
        }
        RequestTable requests = worker.requests();
        long token = requests.begin(RequestKind.FETCH, "am_recv_data", whenDone, message.replyEndpoint(), pin,
                destination);
        claim(message);
        // Exactly the message's length: with less room UCX aborts the process, with more it reports the room as the
        // length.
        MemorySegment parameters = worker.parameters().of(worker.requests().onDataReceive, token,
                UcpMemory.nullIfEmpty(registration, target));
        return requests.posted("am_recv_data", null, token,
                UcpPosts.ucp_am_recv_data_nbx(workerHandle, MemorySegment.ofAddress(message.data()), target, length,
                        parameters));
    }

    /**
     * Moves held data into data of any layout, but for a generic one ({@code ucp_am_recv_data_nbx}). Eager data, which
     * has arrived already, is copied by the processor: {@link UcxUnsupportedException} for memory that it may not
     * reach.
     *
     * @param message a message whose data is held
     * @param destination at least as long as the message
     * @param flags how UCX may treat it
     * @param whenDone called when the data has arrived, unless it has within the call
     * @return the operation
     */
    public UcpRequest fetchInto(UcpActiveMessage message, UcpData destination, Set<RequestFlag> flags,
            Completion whenDone) {
        Set<RequestFlag> checked = RequestFlag.copy(flags);
        worker.checkOpen("am_recv_data");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(whenDone, "whenDone");
        DataOperation fetch = new DataOperation(RequestKind.FETCH, "am_recv_data", worker, message.replyEndpoint(),
                destination, true, checked);
        if (destination.generic() != null) {
            throw new UcxUnsupportedException("am_recv_data",
                    "a generic datatype cannot take an active message, fetch into memory");
        }
        long length = message.length();
        if (destination.byteSize() < length) {
            throw new IllegalArgumentException("destination of " + destination.byteSize() + " bytes: the message has "
                    + length);
        }
        checkHeld(message);
        if (message.offered() != null) {
            throw new UcxUnsupportedException("am_recv_data",
                    "the data is in memory that the sender shares, fetch it into one segment");
        }
        if (!message.isRendezvous()) {
            return fetch.postCopy(MemorySegment.ofAddress(message.data()).reinterpret(length), whenDone,
                    () -> drop(message));
        }
        return fetch.post(worker.requests().onDataReceive, 0, whenDone, (token, data, parameters) -> {
            claim(message);
            UcpData.Native exact = destination.toNative(length);
            worker.requests().keep(token, exact.buffer());
            return UcpPosts.ucp_am_recv_data_nbx(workerHandle, MemorySegment.ofAddress(message.data()), exact.buffer(),
                    exact.count(), parameters);
        });
    }

    /**
     * Releases held data unread ({@code ucp_am_data_release}). The sender of a rendezvous sees success, as if it had
     * been delivered.
     *
     * @param message a message whose data is held
     */
    public void release(UcpActiveMessage message) {
        worker.checkOpen("am_data_release");
        drop(message);
    }

    private void drop(UcpActiveMessage message) {
        claim(message);
        OfferedData offered = message.offered();
        if (offered != null) {
            offered.release();
        } else {
            ucx_h.ucp_am_data_release(workerHandle, MemorySegment.ofAddress(message.data()));
        }
    }

    /** Releases all held data unread, as {@link #release} does with that of one message. */
    public void releaseAll() {
        worker.checkThread();
        List.copyOf(held).stream().filter(held::contains).forEach(this::drop); // One may release another.
    }

    /**
     * Returns whether a message begins with these 8 bytes, the highest first: its header, or its data if it has no
     * header. Data that is still with the sender begins with nothing.
     *
     * @param message a message of this worker
     * @param bytes the bytes to compare
     * @return whether it begins with them
     */
    public boolean beginsWith(UcpActiveMessage message, long bytes) {
        if (!message.isInline()) {
            // Memory of UCX, which only its thread may read.
            worker.checkThread();
            if (!held.contains(message)) {
                return false;
            }
        }
        return message.beginsWith(bytes);
    }

    /**
     * Returns whether the data of a message still has to be fetched or released.
     *
     * @param message a message of this worker
     * @return whether its data is held
     */
    public boolean holds(UcpActiveMessage message) {
        worker.checkThread();
        return held.contains(message);
    }

    /** Offers that are held and come from an endpoint, or may do. */
    int offersOf(UcpEndpoint sender) {
        return (int) held.stream().filter(message -> message.isRendezvous() && message.offered() == null
                && (message.replyEndpoint() == null || message.replyEndpoint() == sender)).count();
    }

    /** {@return number of messages whose send by a protocol may still begin} */
    public int room(AmProtocol protocol) {
        worker.checkThread();
        return worker.requests().room(protocol == AmProtocol.EAGER ? RequestKind.PROMPT : RequestKind.GENERAL);
    }

    /** {@return number of fetches that may still begin} */
    public int fetchRoom() {
        worker.checkThread();
        return worker.requests().room(RequestKind.FETCH);
    }

    /** {@return number of messages whose data UCX holds until it is fetched or released} */
    public int held() {
        worker.checkThread();
        return held.size() - carried;
    }
}

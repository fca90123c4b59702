package io.reactorucx.stress;

import io.reactorucx.ActiveMessages;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcxArena;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import reactor.core.publisher.Mono;

/** Random calls of {@code activeMessages()} and of what it receives. */
final class ActiveMessageCalls {

    static final List<Call.Kind> KINDS = List.of(ActiveMessageCalls::checked, ActiveMessageCalls::checked,
            ActiveMessageCalls::segments, ActiveMessageCalls::leased, ActiveMessageCalls::ofArena,
            ActiveMessageCalls::unchecked, ActiveMessageCalls::receive, ActiveMessageCalls::refused);

    private static final int FIRST_ID = 20;
    private static final int IDS = 6;

    private ActiveMessageCalls() {
    }

    private static AmProtocol protocol(Call call) {
        AmProtocol[] all = AmProtocol.values();
        return all[call.random().nextInt(all.length)];
    }

    private static void checked(Call call) {
        MemorySegment message = call.peer().next(call.checkedSize());
        AmProtocol protocol = protocol(call);
        call.<Void>follow("send " + protocol, Rule.LEGAL, () -> call.connection().activeMessages()
                .send(CheckedPeer.CHECKED, Payload.prefix(message), message, protocol), ignored -> { },
                () -> call.confirm(Payload.number(message)));
    }

    private static void segments(Call call) {
        MemorySegment message = call.peer().next(call.checkedSize());
        long cut = call.random().nextLong(message.byteSize() + 1);
        call.<Void>follow("send of segments", Rule.LEGAL, () -> call.connection().activeMessages()
                .send(CheckedPeer.CHECKED, Payload.prefix(message), List.of(message.asSlice(0, cut),
                message.asSlice(cut))), ignored -> { }, () -> call.confirm(Payload.number(message)));
    }

    private static void leased(Call call) {
        UcxBuffer lease = call.connection().resources().buffers().acquire(call.checkedSize());
        long number = call.peer().nextNumber();
        Payload.fill(lease.segment(), call.peer().number, number);
        AmProtocol protocol = protocol(call);
        call.<Void>follow("send of a lease", Rule.LEGAL, () -> call.connection().activeMessages()
                .send(CheckedPeer.CHECKED, Payload.prefix(lease.segment()), lease, protocol), ignored -> { },
                () -> call.confirm(number));
        // The operation keeps a reference of its own from the subscription on.
        lease.release();
    }

    /** An arena is closed while a message of its memory is under way: refused, or nothing uses it any more. */
    private static void ofArena(Call call) {
        UcxArena arena = UcxArena.ofShared();
        long number = call.peer().nextNumber();
        MemorySegment message = Payload.fill(arena.allocate(call.checkedSize(), 8), call.peer().number, number);
        MemorySegment header = Payload.prefix(message);
        AmProtocol protocol = protocol(call);
        call.<Void>follow("send of an arena", Rule.EITHER, () -> call.connection().activeMessages()
                .send(CheckedPeer.CHECKED, header, message, protocol), ignored -> { },
                () -> call.confirm(number));
        if (call.oneIn(2)) {
            call.plain("close of an arena", Rule.EITHER, arena::close);
        }
        if (call.oneIn(2)) {
            call.plain("close of an arena, twice", Rule.EITHER, arena::close);
        }
        call.follow("closeAsync of an arena", Rule.EITHER, () -> Mono.fromFuture(arena::closeAsync));
    }

    private static int id(Call call) {
        return FIRST_ID + call.random().nextInt(IDS);
    }

    private static void unchecked(Call call) {
        int id = id(call);
        if (call.oneIn(2)) {
            byte[] bytes = new byte[call.size()];
            call.follow("send of bytes", Rule.LEGAL, () -> call.connection().activeMessages().send(id, bytes));
        } else {
            MemorySegment payload = Arena.ofAuto().allocate(Math.max(1, call.size()));
            AmProtocol protocol = protocol(call);
            call.follow("send unchecked " + protocol, Rule.LEGAL, () -> call.connection().activeMessages()
                    .send(id, MemorySegment.NULL, payload, protocol));
        }
    }

    private static void receive(Call call) {
        int id = id(call);
        int take = call.oneIn(2) ? 1 + call.random().nextInt(10) : Integer.MAX_VALUE;
        int habit = call.random().nextInt(11);
        call.<ActiveMessage>follow("receive", Rule.LEGAL,
                () -> call.connection().activeMessages().receive(id).take(take).limitRate(1 + call.random().nextInt(9)),
                message -> handle(call, message, habit), () -> { });
    }

    private static void handle(Call call, ActiveMessage message, int habit) {
        UcxBufferPool pool = call.connection().resources().buffers();
        switch (habit) {
            case 0 -> message.discard();
            case 1 -> {
                message.discard();
                message.dispose();
                call.<UcxBuffer>follow("fetch of a discarded message", message.hasData() ? Rule.EITHER : Rule.WRONG,
                        () -> message.fetch(pool));
            }
            case 2 -> {
                MemorySegment small = Arena.ofAuto().allocate(Math.max(1, message.length() / 2));
                if (message.length() > 1) {
                    call.follow("fetch into too small a segment", Rule.WRONG, () -> message.fetch(small));
                }
                message.discard();
            }
            case 3 -> {
                message.discard();
                throw new CallJournal.Intended();
            }
            case 4 -> {
                fetch(call, message);
                call.<UcxBuffer>follow("fetch, twice", Rule.EITHER, () -> message.fetch(pool));
            }
            case 5 -> {
                MemorySegment answer = Arena.ofAuto().allocate(64);
                call.follow("reply", Rule.LEGAL, () -> message.reply(FIRST_ID + IDS, MemorySegment.NULL, answer));
                message.discard();
            }
            case 6 -> {
                call.plain("data", message.hasData() ? Rule.LEGAL : Rule.WRONG, message::data);
                message.discard();
            }
            case 7 -> {
                MemorySegment whole = Arena.ofAuto().allocate(Math.max(1, message.length()));
                call.follow("fetch into a segment", Rule.LEGAL, () -> message.fetch(whole)
                        .doOnError(error -> message.discard()));
            }
            case 8 -> call.follow("read", Rule.LEGAL, () -> message.read(pool, MemorySegment::byteSize)
                    .doOnError(error -> message.discard()));
            case 9 -> call.follow("read by what throws", message.length() == 0 ? Rule.EITHER : Rule.WRONG,
                    () -> message.read(pool, data -> data.get(ValueLayout.JAVA_BYTE, message.length()))
                            .doOnError(error -> message.discard()));
            default -> fetch(call, message);
        }
    }

    private static void fetch(Call call, ActiveMessage message) {
        call.<UcxBuffer>follow("fetch", Rule.LEGAL, () -> message.fetch(call.connection().resources().buffers())
                .doOnError(error -> message.discard()));
    }

    private static void refused(Call call) {
        ActiveMessages messages = call.connection().activeMessages();
        MemorySegment some = Arena.ofAuto().allocate(2000);
        switch (call.random().nextInt(9)) {
            case 0 -> call.follow("send to an id below 0", Rule.WRONG, () -> messages.send(-1, some));
            case 1 -> call.follow("send to an id above 65535", Rule.WRONG, () -> messages.send(65_536, some));
            case 2 -> call.follow("send to a reserved id", Rule.WRONG,
                    () -> messages.send(call.random().nextInt(ReservedMessageIds.FIRST,
                            ReservedMessageIds.LAST + 1), some));
            case 3 -> call.follow("send of the heap", Rule.WRONG,
                    () -> messages.send(id(call), MemorySegment.ofArray(new byte[1000])));
            case 4 -> call.follow("send of too long a header", Rule.WRONG, () -> messages.send(id(call),
                    MemorySegment.ofArray(new byte[call.connection().maxHeaderBytes() + 1]), some));
            case 5 -> {
                MemorySegment closed;
                try (Arena arena = Arena.ofShared()) {
                    closed = arena.allocate(1000);
                }
                call.follow("send of a closed arena", Rule.WRONG, () -> messages.send(id(call), closed));
            }
            case 6 -> {
                try (Arena arena = Arena.ofShared()) {
                    MemorySegment closeable = arena.allocate(1000);
                    call.follow("send of an arena that can be closed", Rule.WRONG,
                            () -> messages.send(id(call), closeable));
                }
            }
            case 7 -> call.<ActiveMessage>follow("receive of a checked id, twice", Rule.EITHER,
                    () -> messages.receive(CheckedPeer.CHECKED));
            default -> call.<ActiveMessage>follow("receive of a reserved id", Rule.WRONG,
                    () -> messages.receive(1020));
        }
    }
}

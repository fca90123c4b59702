package io.reactorucx.stress;

import io.reactorucx.RemoteAtomics;
import io.reactorucx.RemoteMemory;
import io.reactorucx.UcxResources;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Flux;

/** Random calls of remote memory, its windows, and leases. */
final class MemoryCalls {

    static final List<Call.Kind> KINDS = List.of(MemoryCalls::export, MemoryCalls::use, MemoryCalls::use,
            MemoryCalls::oneSided, MemoryCalls::atomics, MemoryCalls::fluxes, MemoryCalls::refusedMemory,
            MemoryCalls::lease, MemoryCalls::lease, MemoryCalls::refusedLeases, MemoryCalls::order);

    static final int WINDOW_BYTES = 64 << 10;

    private MemoryCalls() {
    }

    /** Exports memory of the other side, and revokes it sometimes, at once or later. */
    private static void export(Call call) {
        CheckedPeer owner = call.peer().other();
        if (owner == null) {
            return;
        }
        UcxArena arena = UcxArena.ofShared();
        MemorySegment segment = arena.allocate(WINDOW_BYTES, 8);
        EnumSet<MemoryRight> rights = EnumSet.allOf(MemoryRight.class);
        if (call.oneIn(3)) {
            rights.remove(MemoryRight.values()[call.random().nextInt(3)]);
        }
        boolean toOne = call.oneIn(2);
        call.plain("exportMemory", Rule.LEGAL, () -> {
            UcxMemoryWindow window = toOne ? owner.connection.exportMemory(segment, rights)
                    : owner.connection.resources().exportMemory(segment, rights);
            call.round().add(owner.connection.resources(), window, arena);
        });
        call.round().revokeOne(call);
    }

    private static RemoteMemory memory(Call call) {
        WindowDescriptor descriptor = call.round().window(call);
        return call.connection().memory(descriptor);
    }

    private static MemorySegment local(int bytes) {
        return Arena.ofAuto().allocate(Math.max(1, bytes), 8).asSlice(0, bytes);
    }

    private static void use(Call call) {
        int bytes = call.random().nextInt(WINDOW_BYTES);
        int offset = call.random().nextInt(WINDOW_BYTES - bytes);
        RemoteMemory memory = memory(call);
        switch (call.random().nextInt(4)) {
            case 0 -> call.follow("memory get", Rule.LEGAL, () -> memory.get(offset, local(bytes)));
            case 1 -> call.follow("memory put", Rule.LEGAL, () -> memory.put(offset, local(bytes)));
            case 2 -> {
                UcxBuffer lease = call.connection().resources().buffers().acquire(bytes);
                call.follow("memory put of a lease", Rule.LEGAL, () -> memory.put(offset, lease));
                lease.release();
            }
            default -> call.follow("memory path", Rule.LEGAL, memory::path);
        }
        if (call.oneIn(4)) {
            call.plain("memory close", Rule.LEGAL, memory::close);
            call.follow("memory get of closed memory", Rule.WRONG, () -> memory.get(0, local(8)));
            call.plain("memory close, twice", Rule.LEGAL, memory::close);
        }
    }

    /** Memory of the other side that UCX itself reads and writes. */
    private static void oneSided(Call call) {
        CheckedPeer owner = call.peer().other();
        if (owner == null) {
            return;
        }
        UcxResources resources = owner.connection.resources();
        call.plain("allocateMemory", Rule.LEGAL, () -> {
            UcpMemory owned = call.round().registered(resources);
            if (!call.round().hasRemoteMemory()) {
                call.follow("memory get without the feature", Rule.WRONG,
                        () -> call.connection().memory(owned.descriptor()).get(0, local(8)));
                return;
            }
            RemoteMemory memory = call.connection().memory(owned.descriptor());
            int bytes = call.random().nextInt(WINDOW_BYTES);
            if (call.oneIn(2)) {
                call.follow("one-sided get", Rule.LEGAL, () -> memory.get(0, local(bytes)));
            } else {
                call.follow("one-sided put", Rule.LEGAL, () -> memory.put(0, local(bytes)));
            }
            if (call.oneIn(2)) {
                call.follow("one-sided flush", Rule.LEGAL, memory::flush);
            }
            if (call.oneIn(2)) {
                memory.close();
            }
        });
    }

    private static void atomics(Call call) {
        boolean longs = call.oneIn(2);
        RemoteMemory memory = memory(call);
        RemoteAtomics atomics = longs ? memory.atomics() : memory.intAtomics();
        int offset = 8 * call.random().nextInt(WINDOW_BYTES / 8);
        switch (call.random().nextInt(6)) {
            case 0 -> call.follow("atomic add", Rule.LEGAL, () -> atomics.add(offset, 1));
            case 1 -> call.follow("atomic fetchXor", Rule.LEGAL, () -> atomics.fetchXor(offset, 3));
            case 2 -> call.follow("atomic compareAndSwap", Rule.LEGAL, () -> atomics.compareAndSwap(offset, 0, 1));
            case 3 -> call.follow("atomic swap", Rule.LEGAL, () -> atomics.swap(offset, 7));
            case 4 -> call.follow("atomic at an odd offset", Rule.WRONG, () -> atomics.fetchAdd(offset + 1, 1));
            default -> call.follow("atomic outside", Rule.WRONG, () -> atomics.add(WINDOW_BYTES, 1));
        }
    }

    private static void fluxes(Call call) {
        RemoteMemory memory = memory(call);
        int chunk = 1000 + call.random().nextInt(20_000);
        int prefetch = 1 + call.random().nextInt(4);
        if (call.oneIn(2)) {
            int take = call.oneIn(2) ? call.random().nextInt(4) : Integer.MAX_VALUE;
            call.<UcxBuffer>follow("getFlux", Rule.LEGAL, () -> memory.getFlux(chunk, prefetch).take(take));
        } else {
            Flux<UcxBuffer> source = Flux.range(0, 1 + call.random().nextInt(WINDOW_BYTES / chunk)).concatMap(each ->
                    call.connection().resources().buffers().acquireLater(chunk), 1);
            call.follow("putFlux", Rule.LEGAL, () -> memory.putFlux(0, source, prefetch));
        }
    }

    private static void refusedMemory(Call call) {
        RemoteMemory memory = memory(call);
        switch (call.random().nextInt(7)) {
            case 0 -> call.follow("get outside", Rule.WRONG, () -> memory.get(WINDOW_BYTES - 7, local(8)));
            case 1 -> call.follow("put below 0", Rule.WRONG, () -> memory.put(-1, local(8)));
            case 2 -> call.follow("get into the heap", Rule.WRONG,
                    () -> memory.get(0, MemorySegment.ofArray(new byte[1000])));
            case 3 -> call.<UcxBuffer>follow("getFlux in chunks of 0", Rule.WRONG, () -> memory.getFlux(0, 1));
            case 4 -> call.plain("WindowDescriptor of garbage", Rule.WRONG, () -> {
                byte[] garbage = new byte[call.random().nextInt(100)];
                call.random().nextBytes(garbage);
                WindowDescriptor.fromBytes(garbage);
            });
            case 5 -> call.plain("exportMemory without rights", Rule.WRONG,
                    () -> call.connection().exportMemory(local(100), Set.of()));
            default -> call.plain("exportMemory of the heap", Rule.WRONG,
                    () -> call.connection().exportMemory(MemorySegment.ofArray(new byte[100]),
                    Set.of(MemoryRight.READ)));
        }
    }

    private static void lease(Call call) {
        if (call.oneIn(3)) {
            call.<UcxBuffer>follow("acquireLater", Rule.LEGAL,
                    () -> call.connection().resources().buffers().acquireLater(call.size()), UcxBuffer::release,
                    () -> { });
            return;
        }
        call.plain("acquire", Rule.LEGAL, () -> {
            UcxBuffer lease = call.connection().resources().buffers().acquire(call.size());
            if (call.oneIn(2)) {
                UcxBuffer slice = lease.slice(0, lease.length() / 2);
                slice.release();
                call.plain("release of a slice, twice", Rule.WRONG, slice::release);
            }
            lease.retain().touch("twice").release();
            lease.release();
            call.plain("release, twice", Rule.WRONG, lease::release);
            call.plain("segment of a released lease", Rule.WRONG, lease::segment);
            lease.dispose();
        });
    }

    private static void refusedLeases(Call call) {
        switch (call.random().nextInt(3)) {
            case 0 -> call.plain("acquire of less than 0", Rule.WRONG,
                    () -> call.connection().resources().buffers().acquire(-1));
            case 1 -> call.plain("acquire of more than there is", Rule.WRONG,
                    () -> call.connection().resources().buffers().acquire(Long.MAX_VALUE));
            default -> call.plain("slice outside", Rule.WRONG, () -> {
                UcxBuffer lease = call.connection().resources().buffers().acquire(10);
                try {
                    lease.slice(5, 6);
                } finally {
                    lease.release();
                }
            });
        }
    }

    private static void order(Call call) {
        if (call.oneIn(2)) {
            call.follow("flush", Rule.LEGAL, call.connection()::flush);
        } else {
            call.follow("fence", Rule.LEGAL, call.connection()::fence);
        }
    }
}

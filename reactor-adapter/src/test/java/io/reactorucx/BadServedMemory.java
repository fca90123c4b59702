package io.reactorucx;

import static io.reactorucx.BadInput.onError;
import static io.reactorucx.BadInput.thrown;

import io.reactorucx.BadInput.Tried;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.WindowDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import reactor.core.publisher.Flux;

/** Wrong uses of windows: of exporting them, of their descriptors, and of the memory behind them. */
final class BadServedMemory {

    private static final Class<IllegalArgumentException> ILLEGAL = IllegalArgumentException.class;
    private static final Class<NullPointerException> MISSING = NullPointerException.class;
    private static final Set<MemoryRight> ALL = EnumSet.allOf(MemoryRight.class);

    private final List<BadInput> cases = new ArrayList<>();

    private BadServedMemory() {
        exports("UcxResources", (tried, segment) -> tried.resources().exportMemory(segment, ALL),
                (tried, rights) -> tried.resources().exportMemory(tried.good, rights),
                (tried, memory) -> tried.resources().exportMemory(memory, ALL),
                (tried, rights) -> tried.resources().exportMemory(tried.registered, rights));
        exports("UcxConnection", (tried, segment) -> tried.connection().exportMemory(segment, ALL),
                (tried, rights) -> tried.connection().exportMemory(tried.good, rights),
                (tried, memory) -> tried.connection().exportMemory(memory, ALL),
                (tried, rights) -> tried.connection().exportMemory(tried.registered, rights));
        descriptors();
        transfers();
        cases.add(thrown("UcxResourcesBuilder.servedMemory(ServedMemoryConfig)", "null", MISSING,
                tried -> UcxResources.builder().servedMemory(null),
                "value"));
    }

    static List<BadInput> all() {
        return new BadServedMemory().cases;
    }

    private void exports(String type, BiFunction<Tried, MemorySegment, Object> segment, BiFunction<Tried,
            Set<MemoryRight>, Object> rights,
            BiFunction<Tried, UcpMemory, Object> memory, BiFunction<Tried, Set<MemoryRight>, Object> rightsOfMemory) {
        String ofSegment = type + ".exportMemory(MemorySegment,Set)";
        String ofMemory = type + ".exportMemory(UcpMemory,Set)";
        cases.add(thrown(ofSegment, "null", MISSING, tried -> segment.apply(tried, null), "segment"));
        cases.add(thrown(ofSegment, "heap", ILLEGAL, tried -> segment.apply(tried, tried.heap), "segment of 16 bytes",
                "native"));
        cases.add(thrown(ofSegment, "empty", ILLEGAL, tried -> segment.apply(tried, Bytes.zeroed(0)),
                "segment of 0 bytes", "at least 1"));
        cases.add(thrown(ofSegment, "closed", ILLEGAL, tried -> segment.apply(tried, tried.closed),
                "segment of 16 bytes", "closed"));
        cases.add(thrown(ofSegment, "of one thread", ILLEGAL, tried -> segment.apply(tried, tried.ofAnotherThread),
                "segment of 16 bytes",
                "one thread"));
        cases.add(thrown(ofSegment, "of an arena that could be closed", ILLEGAL,
                tried -> segment.apply(tried, tried.closeable), "segment: 1000 bytes", "UcxArena"));
        cases.add(thrown(ofSegment, "read-only", ILLEGAL, tried -> segment.apply(tried, tried.good.asReadOnly()),
                "segment of 16 bytes",
                "read-only", "WRITE"));
        cases.add(thrown(ofMemory, "null", MISSING, tried -> memory.apply(tried, null), "memory"));
        cases.add(thrown(ofMemory, "of other resources", ILLEGAL, tried -> memory.apply(tried, tried.registered),
                "memory of 1000 bytes",
                "another context"));
        cases.add(thrown(ofMemory, "closed", UcxClosedException.class, tried -> {
            UcpMemory closed = tried.resources().allocateMemory(10);
            closed.close();
            return memory.apply(tried, closed);
        }, "10 bytes", "closed"));
        rights(ofSegment, rights);
        rights(ofMemory, rightsOfMemory);
    }

    private void rights(String method, BiFunction<Tried, Set<MemoryRight>, Object> use) {
        cases.add(thrown(method, "no rights", MISSING, tried -> use.apply(tried, null), "rights"));
        cases.add(thrown(method, "a null right", MISSING, tried -> use.apply(tried, Collections.singleton(null)),
                "rights"));
        cases.add(thrown(method, "empty rights", ILLEGAL, tried -> use.apply(tried, Set.of()), "rights []",
                "at least one"));
    }

    private void descriptors() {
        String read = "WindowDescriptor.fromBytes(byte[])";
        cases.add(thrown(read, "null", MISSING, tried -> WindowDescriptor.fromBytes(null), "bytes"));
        byte[] good = Descriptors.of(WindowKey.random(), 100, ALL).toBytes();
        for (int size = 0; size < good.length; size++) {
            byte[] part = Arrays.copyOf(good, size);
            cases.add(thrown(read, size + " bytes", ILLEGAL, tried -> WindowDescriptor.fromBytes(part), "bytes"));
        }
        cases.add(thrown(read, "too many bytes", ILLEGAL, tried ->
                WindowDescriptor.fromBytes(Arrays.copyOf(good, good.length + 1)),
                "bytes: 1 bytes follow"));
        for (int place : new int[] {0, 3, 4}) {
            cases.add(thrown(read, "wrong byte " + place, ILLEGAL, tried ->
                    WindowDescriptor.fromBytes(with(good, place, 99)), "bytes",
                    "version 1"));
        }
        for (int rights : new int[] {0, 8, -1}) {
            cases.add(thrown(read, "rights " + rights, ILLEGAL, tried ->
                    WindowDescriptor.fromBytes(with(good, 5, rights)), "unknown rights"));
        }
        cases.add(thrown(read, "negative length", ILLEGAL, tried -> WindowDescriptor.fromBytes(with(good, 22, -1)),
                "length -"));
        cases.add(thrown("UcxConnection.memory(WindowDescriptor)", "null", MISSING,
                tried -> tried.connection().memory((WindowDescriptor) null), "descriptor"));
        String path = "UcxConnection.memory(WindowDescriptor,MemoryPath)";
        cases.add(thrown(path, "null", MISSING, tried -> tried.connection().memory(null, MemoryPath.SERVED),
                "descriptor"));
        cases.add(thrown(path, "no path", MISSING, tried -> tried.connection()
                .memory(tried.servedWindow.descriptor(), null), "path"));
    }

    private static byte[] with(byte[] bytes, int place, int value) {
        byte[] changed = bytes.clone();
        changed[place] = (byte) value;
        return changed;
    }

    private void transfers() {
        String get = "RemoteMemory.get(long,MemorySegment)";
        String put = "RemoteMemory.put(long,MemorySegment)";
        BadMessages.memory(cases, get, "destination", (tried, memory) -> tried.served.get(0, memory));
        BadMessages.memory(cases, put, "source", (tried, memory) -> tried.served.put(0, memory));
        cases.add(onError(get, "read-only, served", ILLEGAL, tried -> tried.served.get(0, tried.good.asReadOnly()),
                "destination",
                "read-only"));
        String lease = "RemoteMemory.put(long,UcxBuffer)";
        String leases = "RemoteMemory.putFlux(long,Publisher,int)";
        cases.add(thrown(lease, "null", MISSING, tried -> tried.served.put(0, (UcxBuffer) null), "source"));
        cases.add(thrown(leases, "null", MISSING, tried -> tried.served.putFlux(0, null, 1), "source"));
        for (int bad : new int[] {0, -1, Integer.MIN_VALUE}) {
            cases.add(thrown(leases, "prefetch " + bad, ILLEGAL, tried -> tried.served.putFlux(0, Flux.empty(), bad),
                    "prefetch " + bad,
                    "at least 1"));
        }
        for (long bad : new long[] {-1, 1001, Long.MAX_VALUE, Long.MIN_VALUE}) {
            cases.add(thrown(leases, "offset " + bad, IndexOutOfBoundsException.class, tried ->
                    tried.served.putFlux(bad, Flux.empty(), 1),
                    "offset " + bad, "1000"));
            cases.add(thrown(lease, "offset " + bad, IndexOutOfBoundsException.class, tried ->
                    tried.served.put(bad, tried.foreign),
                    "offset " + bad, "length 16", "1000"));
        }
        for (boolean served : new boolean[] {true, false}) {
            cases.add(onError(lease, "released, served " + served, IllegalStateException.class,
                    tried -> (served ? tried.served : tried.window).put(0, tried.released), "16 bytes", "released"));
            cases.add(onError(lease, "of other resources, served " + served, ILLEGAL,
                    tried -> (served ? tried.served : tried.window).put(0, tried.foreign), "registration", "context"));
            cases.add(onError(leases, "released, served " + served, IllegalStateException.class,
                    tried -> (served ? tried.served : tried.window).putFlux(0, Flux.just(tried.released), 1),
                    "16 bytes", "released"));
        }
    }
}

package io.reactorucx;

import static io.reactorucx.BadInput.onError;
import static io.reactorucx.BadInput.thrown;

import io.reactorucx.BadInput.Tried;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpData;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.reactivestreams.Publisher;

/** Wrong uses of streams, atomics, lists of segments and receives of all messages. */
final class BadTransfers {

    private static final Map<String, AtomicUse> ATOMICS =
            Map.of("add(long,long)", (atomics, offset) -> atomics.add(offset, 1),
            "and(long,long)", (atomics, offset) -> atomics.and(offset, 1),
            "or(long,long)", (atomics, offset) -> atomics.or(offset, 1),
            "xor(long,long)", (atomics, offset) -> atomics.xor(offset, 1),
            "fetchAdd(long,long)", (atomics, offset) -> atomics.fetchAdd(offset, 1),
            "fetchAnd(long,long)", (atomics, offset) -> atomics.fetchAnd(offset, 1),
            "fetchOr(long,long)", (atomics, offset) -> atomics.fetchOr(offset, 1),
            "fetchXor(long,long)", (atomics, offset) -> atomics.fetchXor(offset, 1),
            "swap(long,long)", (atomics, offset) -> atomics.swap(offset, 1),
            "compareAndSwap(long,long,long)", (atomics, offset) -> atomics.compareAndSwap(offset, 1, 2));

    private final List<BadInput> cases = new ArrayList<>();

    private BadTransfers() {
        segments("ActiveMessages.send(int,MemorySegment,List)", (tried, list) -> tried.messages()
                .send(Tried.ID, tried.good, list));
        segments("Tags.send(long,List)", (tried, list) -> tried.tags().send(1, list));
        streams();
        ATOMICS.forEach(this::atomics);
        for (int bad : new int[] {-1, Integer.MIN_VALUE, (256 << 20) + 1}) {
            cases.add(thrown("Tags.receiveAll(long,long,int)", "maxBytes " + bad, IllegalArgumentException.class,
                    tried -> tried.tags().receiveAll(1, -1, bad), "maxBytes " + bad, "0.." + (256 << 20)));
        }
    }

    static List<BadInput> all() {
        return new BadTransfers().cases;
    }

    @FunctionalInterface
    private interface AtomicUse {

        Publisher<?> of(RemoteAtomics atomics, long offset);
    }

    private void segments(String method, BiFunction<Tried, List<MemorySegment>, Publisher<?>> use) {
        Class<IllegalArgumentException> illegal = IllegalArgumentException.class;
        cases.add(thrown(method, "null", NullPointerException.class, tried -> use.apply(tried, null), "payload"));
        cases.add(thrown(method, "empty", illegal, tried -> use.apply(tried, List.of()), "segments.size() 0", "1.."));
        cases.add(thrown(method, "too many", illegal,
                tried -> use.apply(tried, Collections.nCopies(UcpData.MAX_SEGMENTS + 1, tried.good)), "4097", "4096"));
        cases.add(onError(method, "heap", illegal, tried -> use.apply(tried, List.of(tried.good, tried.heap)),
                "payload", "Java heap"));
        cases.add(onError(method, "closed", illegal, tried -> use.apply(tried, List.of(tried.good, tried.closed)),
                "payload", "closed"));
        cases.add(onError(method, "of another thread", illegal, tried ->
                use.apply(tried, List.of(tried.good, tried.ofAnotherThread)),
                "payload", "another thread"));
        cases.add(onError(method, "of an arena that could be closed", illegal, tried ->
                use.apply(tried, List.of(tried.good, tried.closeable)), "payload", "UcxArena"));
    }

    private void streams() {
        String send = "ByteStream.send(MemorySegment)";
        Class<IllegalArgumentException> illegal = IllegalArgumentException.class;
        cases.add(thrown(send, "null", NullPointerException.class,
                tried -> tried.connection().streams().send((MemorySegment) null), "payload"));
        cases.add(onError(send, "heap", illegal, tried -> tried.connection().streams().send(tried.heap), "payload",
                "Java heap"));
        cases.add(onError(send, "closed", illegal, tried -> tried.connection().streams().send(tried.closed), "payload",
                "closed"));
        cases.add(onError(send, "of an arena that could be closed", illegal,
                tried -> tried.connection().streams().send(tried.closeable), "payload", "UcxArena"));
        cases.add(onError(send, "empty", illegal, tried -> tried.connection().streams().send(Bytes.zeroed(0)),
                "payload of 0 bytes",
                "at least 1"));
        String lease = "ByteStream.send(UcxBuffer)";
        cases.add(thrown(lease, "null", NullPointerException.class, tried -> tried.connection().streams()
                .send((UcxBuffer) null), "payload"));
        cases.add(onError(lease, "released", IllegalStateException.class, tried -> tried.connection().streams()
                .send(tried.released),
                "released"));
        for (int bad : new int[] {0, -1, Integer.MIN_VALUE, (256 << 20) + 1}) {
            cases.add(thrown("ByteStream.receive(int)", "chunkBytes " + bad,
                    illegal, tried -> tried.connection().streams().receive(bad),
                    "chunkBytes " + bad, "1.." + (256 << 20)));
        }
    }

    private void atomics(String signature, AtomicUse use) {
        String method = "RemoteAtomics." + signature;
        for (long offset : new long[] {-1, -8, 993, 1000, Long.MAX_VALUE, Long.MIN_VALUE}) {
            cases.add(thrown(method, "offset " + offset, IndexOutOfBoundsException.class, tried ->
                    use.of(tried.window.atomics(), offset),
                    "offset " + offset, "length 8", "within the 1000 bytes"));
        }
        cases.add(onError(method, "not aligned", IllegalArgumentException.class, tried ->
                use.of(tried.window.atomics(), 4), "remote word",
                "multiple of 8"));
        cases.add(onError(method, "not aligned to 4", IllegalArgumentException.class, tried ->
                use.of(tried.window.intAtomics(), 2),
                "remote word", "multiple of 4"));
        cases.add(onError(method, "closed", IllegalStateException.class, tried ->
                use.of(tried.closedWindow.atomics(), 0), "it is closed"));
    }
}

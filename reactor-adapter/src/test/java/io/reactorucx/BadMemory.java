package io.reactorucx;

import static io.reactorucx.BadInput.onError;
import static io.reactorucx.BadInput.thrown;

import io.reactorucx.BadInput.Tried;
import io.reactorucx.core.MemoryDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Wrong uses of remote memory, registered memory and buffers. */
final class BadMemory {

    private static final long[] BAD_OFFSETS = {-1, -16, 985, 1000, 1001, Long.MAX_VALUE, Long.MAX_VALUE - 15,
        Long.MIN_VALUE};

    private final List<BadInput> cases = new ArrayList<>();

    private BadMemory() {
        window();
        chunks();
        closedWindow();
        registrations();
        pool();
    }

    static List<BadInput> all() {
        return new BadMemory().cases;
    }

    private void window() {
        String get = "RemoteMemory.get(long,MemorySegment)";
        String put = "RemoteMemory.put(long,MemorySegment)";
        BadMessages.memory(cases, get, "destination", (tried, memory) -> tried.window.get(0, memory));
        BadMessages.memory(cases, put, "source", (tried, memory) -> tried.window.put(0, memory));
        cases.add(onError(get, "read-only", IllegalArgumentException.class, tried ->
                tried.window.get(0, tried.good.asReadOnly()),
                "destination", "read-only"));
        for (long offset : BAD_OFFSETS) {
            String[] parts = {"offset " + offset, "length 16", "within the 1000 bytes"};
            cases.add(thrown(get, "offset " + offset, IndexOutOfBoundsException.class, tried ->
                    tried.window.get(offset, tried.good), parts));
            cases.add(thrown(put, "offset " + offset, IndexOutOfBoundsException.class, tried ->
                    tried.window.put(offset, tried.good), parts));
        }
        MemorySegment tooLong = Bytes.zeroed(Tried.WINDOW_BYTES + 1);
        cases.add(thrown(get, "too long", IndexOutOfBoundsException.class, tried -> tried.window.get(0, tooLong),
                "length 1001", "1000"));
        cases.add(thrown(put, "too long", IndexOutOfBoundsException.class, tried -> tried.window.put(0, tooLong),
                "length 1001", "1000"));
        cases.add(thrown("UcxConnection.memory(MemoryDescriptor)", "null", NullPointerException.class,
                tried -> tried.connection().memory((MemoryDescriptor) null), "descriptor"));
    }

    private void chunks() {
        String whole = "RemoteMemory.getFlux(int,int)";
        String part = "RemoteMemory.getFlux(long,long,int,int)";
        for (int bad : new int[] {0, -1, Integer.MIN_VALUE}) {
            cases.add(thrown(whole, "chunkBytes " + bad, IllegalArgumentException.class, tried ->
                    tried.window.getFlux(bad, 1),
                    "chunkBytes " + bad, "at least 1"));
            cases.add(thrown(whole, "prefetch " + bad, IllegalArgumentException.class, tried ->
                    tried.window.getFlux(1, bad),
                    "prefetch " + bad, "at least 1"));
            cases.add(thrown(part, "chunkBytes " + bad, IllegalArgumentException.class, tried ->
                    tried.window.getFlux(0, 1, bad, 1),
                    "chunkBytes " + bad, "at least 1"));
            cases.add(thrown(part, "prefetch " + bad, IllegalArgumentException.class, tried ->
                    tried.window.getFlux(0, 1, 1, bad),
                    "prefetch " + bad, "at least 1"));
        }
        for (long offset : BAD_OFFSETS) {
            cases.add(thrown(part, "offset " + offset, IndexOutOfBoundsException.class, tried ->
                    tried.window.getFlux(offset, 16, 8, 1),
                    "offset " + offset, "length 16", "1000"));
        }
        for (long length : new long[] {-1, 1001, Long.MAX_VALUE, Long.MIN_VALUE}) {
            cases.add(thrown(part, "length " + length, IndexOutOfBoundsException.class, tried ->
                    tried.window.getFlux(0, length, 8, 1),
                    "offset 0", "length " + length, "1000"));
        }
    }

    private void closedWindow() {
        String closed = "it is closed";
        cases.add(onError("RemoteMemory.get(long,MemorySegment)", "closed", IllegalStateException.class,
                tried -> tried.closedWindow.get(0, tried.good), "remote memory of 1000 bytes", closed));
        cases.add(onError("RemoteMemory.put(long,MemorySegment)", "closed", IllegalStateException.class,
                tried -> tried.closedWindow.put(0, tried.good), "remote memory of 1000 bytes", closed));
        cases.add(onError("RemoteMemory.getFlux(int,int)", "closed", IllegalStateException.class,
                tried -> tried.closedWindow.getFlux(100, 3), "remote memory of 1000 bytes", closed));
    }

    private void registrations() {
        String allocate = "UcxResources.allocateMemory(long)";
        for (long bytes : new long[] {0, -1, Long.MIN_VALUE}) {
            cases.add(thrown(allocate, bytes + " bytes", IllegalArgumentException.class, tried -> tried.resources()
                    .allocateMemory(bytes),
                    "bytes " + bytes, "at least 1"));
        }
        String register = "UcxResources.registerMemory(MemorySegment)";
        Class<IllegalArgumentException> illegal = IllegalArgumentException.class;
        cases.add(thrown(register, "null", NullPointerException.class, tried -> tried.resources().registerMemory(null),
                "segment"));
        cases.add(thrown(register, "heap", illegal, tried -> tried.resources().registerMemory(tried.heap), "segment",
                "Java heap"));
        cases.add(thrown(register, "closed", illegal, tried -> tried.resources().registerMemory(tried.closed),
                "segment", "closed"));
        cases.add(thrown(register, "of an arena that could be closed", illegal,
                tried -> tried.resources().registerMemory(tried.closeable), "segment: 1000 bytes", "UcxArena"));
        cases.add(thrown(register, "read-only", illegal, tried -> tried.resources()
                .registerMemory(tried.good.asReadOnly()),
                "segment", "read-only"));
        cases.add(thrown(register, "empty", illegal, tried -> tried.resources().registerMemory(Bytes.zeroed(0)),
                "segment.byteSize() 0",
                "at least 1"));
    }

    private void pool() {
        String acquire = "UcxBufferPool.acquire(long)";
        for (long bytes : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, (256L << 20) + 1}) {
            cases.add(thrown(acquire, bytes + " bytes", IllegalArgumentException.class, tried -> tried.resources()
                    .buffers().acquire(bytes),
                    "bytes " + bytes, "0.." + (256L << 20)));
        }
        Class<IllegalStateException> released = IllegalStateException.class;
        cases.add(thrown("UcxBuffer.segment()", "released", released, tried -> tried.released.segment(), "16 bytes",
                "released"));
        cases.add(thrown("UcxBuffer.byteBuffer()", "released", released, tried -> tried.released.byteBuffer(),
                "16 bytes", "released"));
        cases.add(thrown("UcxBuffer.retain()", "released", released, tried -> tried.released.retain(), "16 bytes",
                "released"));
        cases.add(thrown("UcxBuffer.release()", "released", released, tried -> {
            tried.released.dispose();
            tried.released.release();
            return tried;
        }, "16 bytes", "released before"));
        String copy = "UcxBufferPool.copyOf(byte[])";
        cases.add(thrown(copy, "null", NullPointerException.class, tried -> tried.resources().buffers().copyOf(null),
                "bytes"));
        slices();
    }

    private void slices() {
        String slice = "UcxBuffer.slice(long,long)";
        for (long offset : new long[] {-1, 10, 17, Long.MIN_VALUE, Long.MAX_VALUE}) {
            cases.add(thrown(slice, "offset " + offset, IndexOutOfBoundsException.class, tried ->
                    tried.foreign.slice(offset, 7),
                    "slice of 7 bytes at " + offset, "has 16"));
        }
        for (long length : new long[] {-1, 16, Long.MIN_VALUE, Long.MAX_VALUE}) {
            cases.add(thrown(slice, "length " + length, IndexOutOfBoundsException.class, tried ->
                    tried.foreign.slice(1, length),
                    "slice of " + length + " bytes at 1", "has 16"));
        }
        Class<IllegalStateException> released = IllegalStateException.class;
        cases.add(thrown(slice, "released", released, tried -> tried.released.slice(0, 1), "16 bytes", "released"));
        cases.add(thrown("UcxBuffer.toByteArray()", "released", released, tried -> tried.released.toByteArray(),
                "16 bytes", "released"));
        cases.add(thrown("UcxBuffer.toString(Charset)", "null",
                NullPointerException.class, tried -> tried.foreign.toString(null), "charset"));
        cases.add(thrown("UcxBuffer.toString(Charset)", "released",
                released, tried -> tried.released.toString(StandardCharsets.UTF_8),
                "16 bytes", "released"));
    }
}

package io.reactorucx.core;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A datatype whose packed form is its memory reversed, and that throws on request. */
final class Reversed implements GenericDatatype {

    final MemorySegment memory;
    int starts;
    int finishes;
    boolean throwsWhileMoving;

    Reversed(MemorySegment memory) {
        this.memory = memory;
    }

    static Reversed ofSize(long bytes) {
        return new Reversed(Arena.ofAuto().allocate(bytes));
    }

    @Override
    public State startPack() {
        return start();
    }

    @Override
    public State startUnpack() {
        return start();
    }

    private State start() {
        starts++;
        return new Walk();
    }

    private final class Walk implements State {

        @Override
        public long packedSize() {
            return memory.byteSize();
        }

        @Override
        public void pack(long offset, MemorySegment destination) {
            requireNotThrowing();
            for (long i = 0; i < destination.byteSize(); i++) {
                destination.set(ValueLayout.JAVA_BYTE, i,
                        memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1 - offset - i));
            }
        }

        @Override
        public void unpack(long offset, MemorySegment source) {
            requireNotThrowing();
            for (long i = 0; i < source.byteSize(); i++) {
                memory.set(ValueLayout.JAVA_BYTE, memory.byteSize() - 1 - offset - i,
                        source.get(ValueLayout.JAVA_BYTE, i));
            }
        }

        private void requireNotThrowing() {
            if (throwsWhileMoving) {
                throw new IllegalStateException("a datatype of a test");
            }
        }

        @Override
        public void finish() {
            finishes++;
        }
    }
}

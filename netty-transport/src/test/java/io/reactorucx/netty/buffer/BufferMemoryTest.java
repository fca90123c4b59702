package io.reactorucx.netty.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Memory of buffers in arenas that are closed with their last reference, as Netty has them without native access. */
class BufferMemoryTest {

    @Test
    void isTheBuffersMemoryInAScopeThatNobodyCloses() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment closeable = arena.allocate(16);
            closeable.set(ValueLayout.JAVA_BYTE, 5, (byte) 42);
            ByteBuf buffer = Unpooled.wrappedBuffer(closeable.asByteBuffer());

            MemorySegment memory = BufferMemory.of(buffer, 4, 8);

            assertThat(memory.address()).isEqualTo(closeable.address() + 4);
            assertThat(memory.byteSize()).isEqualTo(8);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 1)).isEqualTo((byte) 42);
            assertThat(memory.scope()).isEqualTo(Arena.global().scope());
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 8));
        }
    }

    @Test
    void isLeftAsItIsWhereNettyHasNativeAccess() {
        ByteBuf buffer = Unpooled.directBuffer(16);
        try {
            buffer.writeLong(1);
            assertThat(BufferMemory.of(buffer, 0, 8).address())
                    .isEqualTo(MemorySegment.ofBuffer(buffer.nioBuffer(0, 8)).address());
        } finally {
            buffer.release();
        }
    }
}

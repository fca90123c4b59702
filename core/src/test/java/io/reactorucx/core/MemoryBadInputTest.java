package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.internal.address.ExportedHandle;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
class MemoryBadInputTest {

    /** Of exported memory: what describes it, and all with one domain's part. */
    private static final int EXPORTED_PART = 44;
    private static final int EXPORTED_BYTES = 53;

    private UcpContext context;

    @BeforeEach
    void createContext() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        context = UcpContext.create(
                UcpConfig.builder().name("memory").features(UcpFeature.RMA).transports("tcp").build());
    }

    @AfterEach
    void closeContext() {
        if (context != null) {
            assertThat(context.openRegistrations()).isZero();
            assertThat(context.registeredBytes()).isZero();
            context.close();
        }
    }

    @Test
    void refusesToRegisterMemoryThatUcxMustNotTouch() {
        assertThatThrownBy(() -> context.register(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("segment");
        assertThatThrownBy(() -> context.register(BadInput.heap())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("segment").hasMessageContaining("Java heap");
        assertThatThrownBy(() -> context.register(BadInput.inClosedArena()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("segment").hasMessageContaining("closed");
        assertThatThrownBy(() -> context.register(MemorySegment.NULL)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("segment").hasMessageContaining("at least 1");
        MemorySegment readOnly = Arena.ofAuto().allocate(8).asReadOnly();
        assertThatThrownBy(() -> context.register(readOnly)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("segment").hasMessageContaining("read-only");
        try (BadInput.OfAnotherThread other = new BadInput.OfAnotherThread()) {
            assertThatThrownBy(() -> context.register(other.segment())).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("segment").hasMessageContaining("another thread");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void refusesToAllocateNothing(long bytes) {
        assertThatThrownBy(() -> context.allocate(bytes)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytes " + bytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 60, Long.MAX_VALUE})
    void reportsMemoryThatTheMachineDoesNotHave(long bytes) {
        assertThatThrownBy(() -> context.allocate(bytes)).isInstanceOf(UcxException.class)
                .hasMessageContaining("ucp_mem_map of " + bytes);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0, -1", "-1, 1", "0, 101", "100, 1", "101, 1", "9223372036854775807, 1",
        "1, 9223372036854775807", "9223372036854775807, 9223372036854775807", "-9223372036854775808, 1"})
    void refusesWindowOutOfBounds(long offset, long length) {
        try (UcpMemory memory = context.allocate(100)) {
            assertThatThrownBy(() -> memory.descriptor(offset, length))
                    .isInstanceOfAny(IndexOutOfBoundsException.class, IllegalArgumentException.class)
                    .hasMessageMatching("(window|length).*");
        }
    }

    @Test
    void refusesUseAfterClose() {
        UcpMemory memory = context.allocate(100);
        MemorySegment segment = memory.segment();
        memory.close();
        memory.close();
        assertThat(memory.isClosed()).isTrue();
        assertThatThrownBy(memory::descriptor).isInstanceOf(UcxClosedException.class).hasMessageContaining("100 bytes");
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closesOnTwoThreadsAndReturnsOnEachWhenTheRegistrationHasEnded() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            UcpMemory memory = context.allocate(1 << 20);
            CountDownLatch together = new CountDownLatch(2);
            Thread other = Thread.ofPlatform().start(() -> {
                together.countDown();
                memory.close();
            });
            together.countDown();
            together.await();
            memory.close();
            int left = context.openRegistrations();
            other.join();
            assertThat(left).as("registrations after a close, round %d", i).isZero();
        }
    }

    @Test
    void leavesMemoryOfTheCallerAlone() {
        MemorySegment own = Arena.ofAuto().allocate(100);
        UcpMemory memory = context.register(own);
        assertThat(memory.segment()).isEqualTo(own);
        assertThat(context.openRegistrations()).isEqualTo(1);
        memory.close();
        own.fill((byte) 1);
        assertThat(own.get(ValueLayout.JAVA_BYTE, 99)).isEqualTo((byte) 1);
    }

    @Test
    void refusesDescriptorWithoutFeature() {
        try (UcpContext without = UcpContext.create(UcpConfig.builder().transports("tcp").build());
                UcpMemory memory = without.allocate(8)) {
            assertThatThrownBy(memory::descriptor).isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("RMA");
        }
    }

    @Test
    void refusesToCloseContextWithOpenRegistration() {
        try (UcpMemory memory = context.allocate(10)) {
            assertThat(memory.isClosed()).isFalse();
            assertThatThrownBy(context::close).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1 registrations");
        }
    }

    @Test
    void registersOnSeveralThreadsAtOnce() {
        Throwable thrown = BadInput.thrownOnAnotherThread(() -> {
            for (int i = 0; i < 100; i++) {
                context.allocate(10_000).close();
            }
            throw new UnsupportedOperationException("done");
        });
        for (int i = 0; i < 100; i++) {
            context.register(Arena.ofAuto().allocate(10_000)).close();
        }
        assertThat(thrown).hasMessage("done");
    }

    private static ByteBuffer exported() {
        return ByteBuffer.allocate(EXPORTED_BYTES).order(ByteOrder.nativeOrder()).put((byte) (EXPORTED_PART - 1))
                .putShort((short) 1)
                .putLong(1).put((byte) 0).putLong(4096).putLong(100).putLong(7).putLong(8)
                .put((byte) (EXPORTED_BYTES - EXPORTED_PART - 1)).put((byte) 4).putInt(77).put((byte) 2)
                .putShort((short) 5);
    }

    @Test
    void readsExportedMemoryToItsEnd() {
        byte[] honest = exported().array();
        assertThat(ExportedHandle.checked(honest, UcxMemoryType.known())).isSameAs(honest);
        for (int length = 1; length < EXPORTED_BYTES; length++) {
            byte[] cut = Arrays.copyOf(honest, length);
            assertThatThrownBy(() -> ExportedHandle.checked(cut, UcxMemoryType.known()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("exported of " + length + " bytes");
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 42, takes 1 bytes more", "1, 0, no handle of exported memory", "11, 200, no memory type 200",
        "19, -1, bytes at 0x", "27, -1, bytes at 0x", "20, 0, 0 bytes at", "44, 7, takes 1 bytes more",
        "45, 0, key is empty", "50, 0, identifier is empty", "10, -1, ends before"})
    void refusesExportedMemoryOnWhichUcxAborts(int offset, int value, String words) {
        byte[] bad = exported().put(offset, (byte) value).array();
        assertThatThrownBy(() -> ExportedHandle.checked(bad, UcxMemoryType.known()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }
}

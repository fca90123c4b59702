package io.reactorucx.core.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.ffi.UcpCompat;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedPagesTest {

    private static final long BYTES = 4L << 20;
    private static final long BESIDE_BYTES = 64 << 10;

    @BeforeEach
    void needUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    private static SharedPages allocate(Arena arena) {
        return Objects.requireNonNull(SharedPages.allocate(BYTES, arena), "the system has no such memory");
    }

    private static Path file(SharedPages pages) {
        return Path.of("/proc/self/fd/" + pages.descriptor());
    }

    @Test
    void isZeroedAndShowsWhatIsWritten() {
        try (Arena owner = Arena.ofShared(); Arena reader = Arena.ofShared()) {
            SharedPages pages = allocate(owner);
            assertThat(pages.memory().byteSize()).isEqualTo(BYTES);
            assertThat(pages.memory().mismatch(owner.allocate(BYTES))).isEqualTo(-1);
            pages.memory().set(ValueLayout.JAVA_LONG, BYTES - 8, 42);

            SharedPages mapped = SharedPages.map(ProcessIdentity.self(), pages.descriptor(), BYTES, pages.key(),
                    reader);

            assertThat(mapped).isNotNull();
            assertThat(mapped.memory().get(ValueLayout.JAVA_LONG, BYTES - 8)).isEqualTo(42);
            pages.memory().set(ValueLayout.JAVA_LONG, 0, 43);
            pages.word(SharedPages.WORDS - 1, 44);
            assertThat(mapped.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(43);
            assertThat(mapped.word(SharedPages.WORDS - 1)).isEqualTo(44);
            assertThat(mapped.word(0)).isZero();
            pages.publish(0, 45);
            assertThat(mapped.word(0)).isEqualTo(45);
        }
    }

    @Test
    void readerCannotWrite() {
        try (Arena owner = Arena.ofShared(); Arena reader = Arena.ofShared()) {
            SharedPages pages = allocate(owner);
            SharedPages mapped = Objects.requireNonNull(SharedPages.map(ProcessIdentity.self(), pages.descriptor(),
                    BYTES, pages.key(), reader));

            assertThat(mapped.memory().isReadOnly()).isTrue();
            assertThatThrownBy(() -> mapped.word(0, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> mapped.publish(0, 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void nobodyElseCanWriteToTheFileOrChangeItsSize() throws IOException {
        try (Arena owner = Arena.ofShared()) {
            SharedPages pages = allocate(owner);
            try (RandomAccessFile opened = new RandomAccessFile(file(pages).toFile(), "rw")) {
                long size = opened.length();
                assertThatThrownBy(() -> opened.setLength(0)).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> opened.setLength(size + 1)).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> opened.write(1)).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> opened.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 4096))
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void mappingOutlivesItsOwner() {
        try (Arena reader = Arena.ofShared()) {
            SharedPages mapped;
            int descriptor;
            try (Arena owner = Arena.ofShared()) {
                SharedPages pages = allocate(owner);
                pages.memory().fill((byte) 7);
                descriptor = pages.descriptor();
                mapped = Objects.requireNonNull(SharedPages.map(ProcessIdentity.self(), descriptor, BYTES,
                        pages.key(), reader));
            }
            assertThat(Files.exists(Path.of("/proc/self/fd/" + descriptor)) && isOurs(descriptor))
                    .as("the owner's file is open").isFalse();
            assertThat(mapped.memory().mismatch(reader.allocate(BYTES).fill((byte) 7))).isEqualTo(-1);
        }
    }

    private static boolean isOurs(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString().contains("reactor-ucx");
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void fileOfAnotherUserIsNotMapped() throws IOException {
        try (Arena owner = Arena.ofShared(); Arena reader = Arena.ofShared()) {
            SharedPages pages = allocate(owner);
            int user = (int) Files.getAttribute(file(pages), "unix:uid");
            assumeTrue(user == 0, "only root can give a file to another user");
            assertThat(SharedPages.map(ProcessIdentity.self(), pages.descriptor(), BYTES, pages.key(), reader))
                    .isNotNull();

            Files.setAttribute(file(pages), "unix:uid", 65534);

            assertThat(SharedPages.map(ProcessIdentity.self(), pages.descriptor(), BYTES, pages.key(), reader))
                    .isNull();
        }
    }

    /** A file like those of this class, whose content and seals its owner has chosen. */
    private static int file(Arena arena, byte[] key, boolean full, int seals) throws IOException {
        int descriptor = UcpCompat.memoryFile(arena.allocateFrom("reactor-ucx"));
        assertThat(descriptor).isNotNegative();
        try (RandomAccessFile content = new RandomAccessFile("/proc/self/fd/" + descriptor, "rw")) {
            content.setLength(BYTES + BESIDE_BYTES);
            if (full) {
                content.write(new byte[(int) (BYTES + BESIDE_BYTES)]);
            }
            content.seek(BYTES + (long) SharedPages.WORDS * Long.BYTES);
            content.write(key);
        }
        assertThat(UcpCompat.addSeals(descriptor, seals)).isZero();
        return descriptor;
    }

    /** What is not there would be allocated by its reader, and what is taken out as well. */
    @Test
    void fileThatHasOrGetsHolesIsNotMapped() throws IOException {
        int fixed = UcpCompat.F_SEAL_SHRINK | UcpCompat.F_SEAL_GROW | UcpCompat.F_SEAL_SEAL;
        byte[] key = new byte[SharedPages.KEY_BYTES];
        key[0] = 1;
        for (boolean full : new boolean[] {true, false}) {
            for (int seals : new int[] {fixed | UcpCompat.F_SEAL_FUTURE_WRITE, fixed}) {
                try (Arena reader = Arena.ofShared()) {
                    int descriptor = file(reader, key, full, seals);

                    SharedPages mapped = SharedPages.map(ProcessIdentity.self(), descriptor, BYTES, key, reader);

                    assertThat(mapped != null).as("mapped, full %s, seals %x", full, seals)
                            .isEqualTo(full && seals != fixed);
                    assertThat(UcpCompat.close(descriptor)).isZero();
                }
            }
        }
    }

    @Test
    void nothingIsMappedWithoutTheKeyOrOfAnotherSize() {
        try (Arena owner = Arena.ofShared(); Arena reader = Arena.ofShared()) {
            SharedPages pages = allocate(owner);
            ProcessIdentity self = ProcessIdentity.self();
            byte[] wrong = pages.key();
            wrong[15]++;

            assertThat(SharedPages.map(self, pages.descriptor(), BYTES, wrong, reader)).isNull();
            assertThat(SharedPages.map(self, pages.descriptor(), BYTES * 2, pages.key(), reader)).isNull();
            assertThat(SharedPages.map(self, pages.descriptor(), BYTES / 2, pages.key(), reader)).isNull();
            assertThat(SharedPages.map(self, -1, BYTES, pages.key(), reader)).isNull();
            assertThat(SharedPages.map(self, 0, BYTES, pages.key(), reader)).isNull();
            assertThat(SharedPages.map(ProcessIdentity.UNKNOWN, pages.descriptor(), BYTES, pages.key(), reader))
                    .isNull();
            assertThat(SharedPages.map(new ProcessIdentity(self.namespace(), Integer.MAX_VALUE), pages.descriptor(),
                    BYTES, pages.key(), reader)).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1, 4095, Long.MAX_VALUE, Long.MIN_VALUE, -4096})
    void refusesOtherSizes(long bytes) {
        try (Arena arena = Arena.ofShared()) {
            assertThatThrownBy(() -> SharedPages.allocate(bytes, arena)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes " + bytes);
            assertThatThrownBy(() -> SharedPages.map(ProcessIdentity.self(), 0, bytes, new byte[16], arena))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("bytes " + bytes);
        }
    }

    @Test
    void refusesMoreThanThereIs() throws IOException {
        assumeTrue(!Files.readString(Path.of("/proc/sys/vm/overcommit_memory")).strip().equals("1"),
                "this system promises any memory");
        try (Arena arena = Arena.ofShared()) {
            assertThat(SharedPages.allocate(1L << 45, arena)).isNull();
            assertThat(SharedPages.allocate(1L << 60, arena)).isNull();
        }
    }

    @Test
    void refusesAKeyOfAnotherLengthAndAWordPastTheEnd() {
        try (Arena arena = Arena.ofShared()) {
            assertThatThrownBy(() -> SharedPages.map(ProcessIdentity.self(), 0, BYTES, new byte[15], arena))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("key of 15 bytes");
            SharedPages pages = allocate(arena);
            assertThatThrownBy(() -> pages.word(SharedPages.WORDS)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> pages.word(-1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> pages.publish(SharedPages.WORDS, 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> pages.publish(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void needsAnArenaThatIsOpen() {
        Arena closed = Arena.ofShared();
        closed.close();
        assertThatThrownBy(() -> SharedPages.allocate(BYTES, closed)).isInstanceOf(IllegalStateException.class);
    }
}

package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedMessage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/**
 * Files that are mapped as what is sent, put and got, over every route: what is written reaches the file, what is
 * read-only stays as it is.
 */
@Tag("slow")
class MappedFileContractTest extends SharedPeers {

    private static final int ID = 9;
    private static final long TAG = 77;
    /** Neither a multiple of a page nor of what transports send at once. */
    private static final long SIZE = 3L * Bytes.MIB + 4_097;
    private static final long OFFSET = 1_234;

    @TempDir
    private Path folder;
    /** Ends after what uses it. */
    private final Arena arena = UcxArena.ofShared();
    private final List<AutoCloseable> used = new ArrayList<>();

    @AfterEach
    void unmap() throws Exception {
        for (AutoCloseable each : used) {
            each.close();
        }
        Waits.engineOf(peers.client());
        arena.close();
    }

    private Path written(String name, MemorySegment content) throws IOException {
        Path file = folder.resolve(name);
        Files.write(file, Bytes.array(content));
        return file;
    }

    private MemorySegment map(Path file, MapMode mode, long size) throws IOException {
        Set<StandardOpenOption> options = EnumSet.of(StandardOpenOption.READ);
        if (mode != MapMode.READ_ONLY) {
            options.addAll(Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE));
        }
        try (FileChannel channel = FileChannel.open(file, options)) {
            return channel.map(mode, 0, size, arena);
        }
    }

    /** A file that is read only, of a pattern. */
    private MemorySegment source(int seed) throws IOException {
        return map(written("source", Bytes.pattern(seed, SIZE)), MapMode.READ_ONLY, SIZE);
    }

    private MemorySegment destination() throws IOException {
        return map(folder.resolve("destination"), MapMode.READ_WRITE, SIZE);
    }

    private void assertFileHas(MemorySegment expected) throws IOException {
        Bytes.assertSame(MemorySegment.ofArray(Files.readAllBytes(folder.resolve("destination"))), expected);
    }

    @ParameterizedTest
    @EnumSource(AmProtocol.class)
    void activeMessageGoesFromFileToFile(AmProtocol protocol) throws IOException {
        Inbox inbox = Inbox.of(peers.served(), ID);
        used.add(inbox::cancel);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, MemorySegment.NULL, source(1), protocol));

        ActiveMessage message = inbox.next();
        if (message.hasData()) {
            destination().copyFrom(message.data());
        } else {
            message.fetch(destination()).block(Waits.PATIENCE);
        }

        sent.assertDone();
        assertFileHas(Bytes.pattern(1, SIZE));
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 8 * Bytes.KIB, SIZE})
    void taggedMessageGoesFromFileToFile(long size) throws IOException {
        MemorySegment destination = destination();
        Mono<TaggedMessage> receive = peers.served().tags().receive(TAG, destination.asSlice(0, size));
        Mono<Void> send = peers.client().tags().send(TAG, source(2).asSlice(0, size));

        Mono.when(receive, send).block(Waits.PATIENCE);

        MemorySegment expected = Bytes.zeroed(SIZE);
        expected.copyFrom(Bytes.pattern(2, SIZE).asSlice(0, size));
        assertFileHas(expected);
    }

    @Test
    void putsGoFromAFileIntoAFile() throws IOException {
        RemoteMemory remote = oneSided(destination());

        remote.put(OFFSET, source(3).asSlice(0, SIZE - OFFSET)).then(remote.flush()).block(Waits.PATIENCE);

        MemorySegment expected = Bytes.zeroed(SIZE);
        expected.asSlice(OFFSET).copyFrom(Bytes.pattern(3, SIZE).asSlice(0, SIZE - OFFSET));
        assertFileHas(expected);
    }

    @Test
    void getsGoFromAFileIntoAFile() throws IOException {
        RemoteMemory remote = oneSided(map(written("source", Bytes.pattern(4, SIZE)), MapMode.READ_WRITE, SIZE));

        remote.get(0, destination()).block(Waits.PATIENCE);

        assertFileHas(Bytes.pattern(4, SIZE));
    }

    private RemoteMemory oneSided(MemorySegment mapped) {
        UcpMemory memory = peers.serverResources().registerMemory(mapped);
        RemoteMemory remote = peers.client().memory(memory.descriptor());
        used.add(() -> {
            remote.close();
            Waits.engineOf(peers.client());
            memory.close();
        });
        return remote;
    }

    private RemoteMemory served(MemorySegment mapped, Set<MemoryRight> rights) {
        UcxMemoryWindow window = peers.serverResources().exportMemory(mapped, rights);
        used.add(() -> window.revoke().block(Waits.PATIENCE));
        return peers.client().memory(window.descriptor(), MemoryPath.SERVED);
    }

    @Test
    void servedFileIsWritten() throws IOException {
        route.assumeTwoPeers();
        served(destination(), Set.of(MemoryRight.WRITE)).put(0, source(5)).block(Waits.PATIENCE);

        assertFileHas(Bytes.pattern(5, SIZE));
    }

    @Test
    void servedFileIsReadIntoAFile() throws IOException {
        route.assumeTwoPeers();
        served(source(6), Set.of(MemoryRight.READ)).get(0, destination()).block(Waits.PATIENCE);

        assertFileHas(Bytes.pattern(6, SIZE));
    }

    @Test
    void fileIsReadInChunks() throws IOException {
        route.assumeTwoPeers();
        long[] position = {0};
        MemorySegment expected = Bytes.pattern(7, SIZE);

        served(source(7), Set.of(MemoryRight.READ)).getFlux(100_000, 4).doOnNext(chunk -> {
            Bytes.assertSame(chunk.segment(), expected.asSlice(position[0], chunk.length()));
            position[0] += chunk.length();
            chunk.release();
        }).blockLast(Waits.PATIENCE);

        assertThat(position[0]).isEqualTo(SIZE);
    }

    @Test
    void privateMappingChangesAndTheFileDoesNot() throws IOException {
        MemorySegment mapped = map(written("source", Bytes.pattern(8, SIZE)), MapMode.PRIVATE, SIZE);
        RemoteMemory remote = oneSided(mapped);

        remote.put(0, Bytes.zeroed(SIZE)).then(remote.flush()).block(Waits.PATIENCE);

        Bytes.assertSame(mapped, Bytes.zeroed(SIZE));
        Bytes.assertSame(MemorySegment.ofArray(Files.readAllBytes(folder.resolve("source"))), Bytes.pattern(8, SIZE));
    }

    @Test
    void readOnlyFileIsNoDestination() throws IOException {
        MemorySegment readOnly = source(9);
        UcxConnection client = peers.client();
        assertRefused(client.tags().receive(TAG, readOnly));
        assertThatThrownBy(() -> peers.serverResources().registerMemory(readOnly))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
        assertThatThrownBy(() -> peers.serverResources().exportMemory(readOnly, Set.of(MemoryRight.WRITE)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("read-only");
        assertRefused(oneSided(Bytes.zeroed(SIZE)).get(0, readOnly));
        if (!route.isSelf()) {
            assertRefused(served(Bytes.zeroed(SIZE), Set.of(MemoryRight.READ)).get(0, readOnly));
        }
        Inbox inbox = Inbox.of(peers.served(), ID);
        used.add(inbox::cancel);
        PendingOperation sent = PendingOperation.of(client.activeMessages()
                .send(ID, MemorySegment.NULL, Bytes.pattern(10, SIZE), AmProtocol.RENDEZVOUS));
        ActiveMessage message = inbox.next();
        assertRefused(Mono.defer(() -> message.fetch(readOnly)));
        Bytes.assertSame(Objects.requireNonNull(message.fetch(Bytes.zeroed(SIZE)).block(Waits.PATIENCE)),
                Bytes.pattern(10, SIZE));
        sent.assertDone();
        Bytes.assertSame(readOnly, Bytes.pattern(9, SIZE));
    }

    private static void assertRefused(Mono<?> operation) {
        assertThatThrownBy(() -> operation.block(Waits.PATIENCE)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
    }
}

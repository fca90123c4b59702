package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.UcxResources;
import io.reactorucx.core.Ucx;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.SignalType;

/** The leases of a file that is read, when its subscriber ends at a bad moment. */
class FileChunksTest {

    private static final int CHUNKS = 16;
    private static final int ROUNDS = 20;
    private static final long SIZE = (long) CHUNKS * DemoProtocol.CHUNK_BYTES;

    @TempDir
    private Path directory;

    /** Cancels while a chunk is read or handed on: nobody sees this chunk any more. */
    @Test
    void closeReleasesWhatNobodyTook() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        Path file = sparseFile();

        UcxResources resources = UcxResources.create();
        try {
            for (int i = 0; i < ROUNDS; i++) {
                Forgetful subscriber = new Forgetful();
                try (FileChunks chunks = new FileChunks(file, SIZE, resources.buffers())) {
                    chunks.chunks().subscribe(subscriber);
                    subscriber.awaitFirst();
                    subscriber.cancel();
                }
                assertThat(resources.buffers().leases()).isZero();
                assertThat(subscriber.received()).hasSizeBetween(1, CHUNKS);
            }
        } finally {
            resources.disposeLater().block();
        }
    }

    /** The scheduler interrupts the read, which must not become an error that nobody takes. */
    @Test
    void cancelAmidAReadDropsNoError() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        Path file = sparseFile();
        List<Throwable> dropped = new CopyOnWriteArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        UcxResources resources = UcxResources.create();
        try {
            for (int i = 0; i < ROUNDS; i++) {
                Forgetful subscriber = new Forgetful();
                FileChunks chunks = new FileChunks(file, SIZE, resources.buffers());
                chunks.chunks().subscribe(subscriber);
                subscriber.awaitFirst();
                subscriber.cancel();
                chunks.close();
            }
        } finally {
            resources.disposeLater().block();
            Hooks.resetOnErrorDropped();
        }
        assertThat(dropped).isEmpty();
    }

    private Path sparseFile() throws IOException {
        Path file = directory.resolve("file");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(SIZE);
        }
        return file;
    }

    /** Releases no chunk that it gets. */
    private static final class Forgetful extends BaseSubscriber<FileChunks.Chunk> {

        private final List<FileChunks.Chunk> received = new ArrayList<>();

        @Override
        protected synchronized void hookOnNext(FileChunks.Chunk chunk) {
            received.add(chunk);
            notifyAll();
        }

        @Override
        protected synchronized void hookFinally(SignalType type) {
            notifyAll();
        }

        synchronized List<FileChunks.Chunk> received() {
            return List.copyOf(received);
        }

        synchronized void awaitFirst() {
            try {
                while (received.isEmpty() && !isDisposed()) {
                    wait();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}

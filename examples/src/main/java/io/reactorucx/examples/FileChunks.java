package io.reactorucx.examples;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/** Reads a file into leases of a pool, on demand, and computes its SHA-256. */
final class FileChunks {

    /**
     * One piece of the file.
     *
     * @param offset its offset in the file
     * @param buffer its bytes; the receiver releases the lease
     */
    record Chunk(long offset, UcxBuffer buffer) {
    }

    private final Path file;
    private final long size;
    private final UcxBufferPool pool;
    private final MessageDigest digest = DemoProtocol.sha256();

    FileChunks(Path file, long size, UcxBufferPool pool) {
        this.file = file;
        this.size = size;
        this.pool = pool;
    }

    /** Emits the chunks on demand. Reads on a thread that may block. */
    Flux<Chunk> chunks() {
        return Flux.using(() -> FileChannel.open(file, StandardOpenOption.READ),
                channel -> Flux.<Chunk, Long>generate(() -> 0L, (offset, sink) -> next(channel, offset, sink)),
                FileChunks::close).subscribeOn(Schedulers.boundedElastic())
                .doOnDiscard(Chunk.class, chunk -> chunk.buffer().release());
    }

    private long next(FileChannel channel, long offset, SynchronousSink<Chunk> sink) {
        if (offset >= size) {
            sink.complete();
            return offset;
        }
        UcxBuffer buffer = pool.acquire(Math.min(DemoProtocol.CHUNK_BYTES, size - offset));
        try {
            ByteBuffer bytes = buffer.byteBuffer();
            while (bytes.hasRemaining()) {
                if (channel.read(bytes) < 0) {
                    throw new DemoFailure(file + " became shorter while it was read");
                }
            }
            digest.update(bytes.flip());
        } catch (IOException e) {
            buffer.release();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            buffer.release();
            throw e;
        }
        sink.next(new Chunk(offset, buffer));
        return offset + buffer.length();
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The SHA-256 of all bytes that were read. Call it once. */
    byte[] sha256() {
        return digest.digest();
    }
}

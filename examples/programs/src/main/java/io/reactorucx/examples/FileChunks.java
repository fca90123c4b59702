package io.reactorucx.examples;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/**
 * Reads a file into leases of a pool, on demand, and computes its SHA-256. It keeps each lease until it is released
 * here: a chunk that is read while its subscriber fails reaches nobody who could release it.
 */
final class FileChunks implements AutoCloseable {

    /**
     * One piece of the file.
     *
     * @param offset its offset in the file
     * @param buffer its bytes, until the chunk is released
     */
    record Chunk(long offset, UcxBuffer buffer) {
    }

    private final FileChannel channel;
    private final Path file;
    private final long size;
    private final UcxBufferPool pool;
    private final MessageDigest digest = DemoProtocol.sha256();
    private final Set<UcxBuffer> leases = ConcurrentHashMap.newKeySet();
    /** Held by whoever reads, so that nothing is leased or read any more when the close goes on. */
    private final ReentrantLock reading = new ReentrantLock();
    private volatile boolean cancelled;

    FileChunks(Path file, long size, UcxBufferPool pool) {
        this.file = file;
        this.size = size;
        this.pool = pool;
        try {
            this.channel = FileChannel.open(file, StandardOpenOption.READ);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Emits the chunks on demand, once. Reads on a thread that may block. */
    Flux<Chunk> chunks() {
        return Flux.<Chunk, Long>generate(() -> 0L, this::next).doOnCancel(() -> cancelled = true)
                .subscribeOn(Schedulers.boundedElastic());
    }

    private long next(long offset, SynchronousSink<Chunk> sink) {
        if (offset >= size) {
            sink.complete();
            return offset;
        }
        Chunk chunk;
        reading.lock();
        try {
            if (!channel.isOpen()) {
                sink.complete();
                return offset;
            }
            chunk = new Chunk(offset, pool.acquire(Math.min(DemoProtocol.CHUNK_BYTES, size - offset)));
            leases.add(chunk.buffer());
            read(chunk.buffer().byteBuffer());
        } catch (ClosedByInterruptException e) {
            if (!cancelled) {
                throw new UncheckedIOException(e);
            }
            // The scheduler interrupts the read of a subscriber that is gone: nobody takes an error any more.
            sink.complete();
            return offset;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            reading.unlock();
        }
        sink.next(chunk);
        return offset + chunk.buffer().length();
    }

    private void read(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.read(bytes) < 0) {
                throw new DemoFailure(file + " became shorter while it was read");
            }
        }
        digest.update(bytes.flip());
    }

    /** Releases the lease of a chunk. */
    void release(Chunk chunk) {
        release(chunk.buffer());
    }

    private void release(UcxBuffer buffer) {
        if (leases.remove(buffer)) {
            buffer.release();
        }
    }

    /** Waits for the chunk that is being read, and releases all leases that are left. */
    @Override
    public void close() {
        reading.lock();
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            reading.unlock();
            leases.forEach(this::release);
        }
    }

    /** The SHA-256 of all bytes that were read. Call it once. */
    byte[] sha256() {
        return digest.digest();
    }
}

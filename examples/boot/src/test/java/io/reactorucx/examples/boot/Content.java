package io.reactorucx.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A large body, whose bytes are checked one by one. */
final class Content {

    private static final int PART_BYTES = 64 << 10;

    private final byte[] bytes;

    Content(int count) {
        bytes = new byte[count];
        new Random(count).nextBytes(bytes);
    }

    byte[] bytes() {
        return bytes;
    }

    String sha256() {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    Flux<DataBuffer> parts() {
        return Flux.range(0, (bytes.length + PART_BYTES - 1) / PART_BYTES).map(i -> DefaultDataBufferFactory
                .sharedInstance.wrap(ByteBuffer.wrap(bytes, i * PART_BYTES,
                        Math.min(PART_BYTES, bytes.length - i * PART_BYTES)).slice()));
    }

    /** Emits how many bytes have come, and fails for one that differs. */
    Mono<Long> check(Flux<DataBuffer> received) {
        return received.reduce(0L, (position, part) -> {
            byte[] each = new byte[part.readableByteCount()];
            part.read(each);
            DataBufferUtils.release(part);
            int start = Math.toIntExact(position);
            assertThat(start + each.length).isLessThanOrEqualTo(bytes.length);
            assertThat(java.util.Arrays.equals(each, 0, each.length, bytes, start, start + each.length))
                    .as("bytes from %d", start).isTrue();
            return position + each.length;
        });
    }
}

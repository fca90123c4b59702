package io.reactorucx.examples.boot;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.MediaType;
import org.springframework.http.codec.multipart.FilePartEvent;
import org.springframework.http.codec.multipart.PartEvent;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Takes files, and sends bodies back. */
@RestController
class FileController {

    /**
     * The bytes of a file that have arrived.
     *
     * @param name of the file
     * @param bytes how many
     * @param sha256 their hash in hexadecimal digits
     */
    record Uploaded(String name, long bytes, String sha256) {
    }

    /** Reads each file while it comes, without a copy on disk, and skips fields that are no files. */
    @PostMapping(path = "/files", consumes = MediaType.MULTIPART_FORM_DATA_VALUE)
    Flux<Uploaded> upload(@RequestBody Flux<PartEvent> form) {
        return form.windowUntil(PartEvent::isLast).concatMap(part -> part.switchOnFirst((first, events) ->
                first.get() instanceof FilePartEvent file ? read(file.filename(), events.map(PartEvent::content))
                        : events.doOnNext(event -> DataBufferUtils.release(event.content())).thenMany(Flux.empty())));
    }

    private static Mono<Uploaded> read(String name, Flux<DataBuffer> content) {
        MessageDigest digest = sha256();
        return content.map(part -> {
            int bytes = part.readableByteCount();
            try (DataBuffer.ByteBufferIterator buffers = part.readableByteBuffers()) {
                buffers.forEachRemaining(digest::update);
            }
            DataBufferUtils.release(part);
            return (long) bytes;
        }).reduce(0L, Long::sum).map(bytes -> new Uploaded(name, bytes, HexFormat.of().formatHex(digest.digest())));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Sends each part back as soon as it has come. */
    @PostMapping(path = "/echo", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
    Flux<DataBuffer> echo(@RequestBody Flux<DataBuffer> body) {
        return body;
    }
}

package io.reactorucx.examples.netty;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Messages of gRPC that are plain bytes, without Protocol Buffers.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> gRPC closes the streams. <b>Errors:</b>
 * {@link UncheckedIOException} where a stream cannot be read.
 */
public final class BytesMarshaller implements MethodDescriptor.Marshaller<byte[]> {

    /** A marshaller, which has no state. */
    public BytesMarshaller() {
    }

    @Override
    public InputStream stream(byte[] value) {
        return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
        try {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

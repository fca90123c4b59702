package io.reactorucx.transport.socket;

import io.reactorucx.security.PeerCertificates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import javax.crypto.SecretKey;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLProtocolException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * TLS on a control socket, by an {@link SSLEngine}. What takes long, such as signatures and the checks of certificates,
 * runs on the threads of authenticators, and the socket is not read meanwhile. Buffers are held only while there is
 * something in them.
 *
 * <p>An {@link SSLException} of the engine is thrown once; after that what comes is dropped as it is, and nothing is
 * written but the alert that tells the peer the reason.
 *
 * <p>Thread: socket loop.
 */
final class TlsLayer implements SocketLayer {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    /** The first byte of the first record that a client sends. */
    static final int HANDSHAKE_RECORD = 22;

    /** First bytes of TLS's records: change of ciphers, alert, handshake, data. */
    private static final int FIRST_RECORD_TYPE = 20;
    private static final int LAST_RECORD_TYPE = 23;
    /** Records that are taken in one round of the loop: a peer can send ones without bytes for ever. */
    private static final int MAX_RECORDS = 4;
    /** Records without bytes in a row. A handshake has few of them, and a connection one now and then. */
    private static final int MAX_EMPTY_RECORDS = 64;

    private static final String EXPORTER_LABEL = "EXPORTER-reactor-ucx";
    private static final int EXPORTED_BYTES = 32;

    private enum State { NEW, WORKING, OPEN, FAILED, CLOSED }

    private final SocketChannel channel;
    private final TlsSide side;
    private final Consumer<Runnable> loop;
    /** Goes on with reading and writing when a step elsewhere is done. */
    private final Runnable resume;
    /** Goes on in the next round of the loop. */
    private final Runnable resumeLater;
    private State state = State.NEW;
    private @Nullable SSLEngine engine;
    /** Records that have come, to be filled further. */
    private ByteBuffer received = NOTHING;
    /** What was in records, to be read. */
    private ByteBuffer plain = NOTHING;
    /** Records to be written. */
    private ByteBuffer sending = NOTHING;
    private int emptyRecords;
    private boolean recognized;
    private boolean established;
    private boolean ended;
    /** The channel's output ends when all that waits is written. */
    private boolean shutDown;
    private boolean outputEnded;
    private @Nullable Throwable stepError;
    private @Nullable Runnable cancelStep;

    TlsLayer(SocketChannel channel, TlsSide side, Consumer<Runnable> loop, Runnable resume, Runnable resumeLater) {
        this.channel = channel;
        this.side = side;
        this.loop = loop;
        this.resume = resume;
        this.resumeLater = resumeLater;
    }

    /** Returns the certificates of the peer; null if it has shown none. */
    @Nullable PeerCertificates peerCertificates() {
        try {
            X509Certificate[] chain = engine == null ? new X509Certificate[0]
                    : Arrays.stream(engine.getSession().getPeerCertificates()).map(X509Certificate.class::cast)
                    .toArray(X509Certificate[]::new);
            return chain.length == 0 ? null : new PeerCertificates(List.of(chain));
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    /** Returns what both sides get from the handshake, and nobody else (RFC 8446, 7.5). */
    SecretKey exported() throws IOException {
        try {
            return ((ExtendedSSLSession) Objects.requireNonNull(engine).getSession())
                    .exportKeyingMaterialKey("HKDF", EXPORTER_LABEL, null, EXPORTED_BYTES);
        } catch (SSLException e) {
            throw e;
        } catch (UnsupportedOperationException | IllegalStateException e) {
            throw new SSLException("the provider of TLS exports no keys", e);
        }
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        if (state == State.FAILED) {
            return channel.read(into);
        }
        int before = into.position();
        int records = 0;
        while (into.hasRemaining() && records <= MAX_RECORDS && (plain.hasRemaining() || decryptNext())) {
            records++;
            int count = Math.min(into.remaining(), plain.remaining());
            into.put(plain.slice(plain.position(), count));
            plain.position(plain.position() + count);
        }
        if (!plain.hasRemaining()) {
            plain = NOTHING;
        }
        if (records > MAX_RECORDS) {
            resumeLater.run();
        }
        int count = into.position() - before;
        return count == 0 && ended ? -1 : count;
    }

    /** Goes on with what has come; returns whether there may be more without waiting. */
    private boolean decryptNext() throws IOException {
        checkStep();
        if (state == State.NEW) {
            if (fill()) {
                start();
            }
            return false;
        }
        SSLEngine made = engine;
        if (state != State.OPEN || made == null || ended) {
            return false;
        }
        try {
            return switch (made.getHandshakeStatus()) {
                case NEED_TASK -> runSteps(made);
                case NEED_WRAP -> flush() && encrypt(made, NOTHING);
                default -> decrypt(made);
            };
        } catch (SSLException e) {
            throw failed(made, e);
        }
    }

    /** Has the engine made elsewhere: the source of contexts may block. */
    private void start() throws IOException {
        submit(() -> {
            SSLEngine made = side.engine().get();
            try {
                made.beginHandshake();
            } catch (SSLException e) {
                throw new UncheckedIOException(e);
            }
            loop.accept(() -> engine = made);
        }, true);
    }

    /** Reads from the channel; returns whether something has come. */
    private boolean fill() throws IOException {
        if (received.remaining() == 0) {
            received = ByteBuffer.wrap(Arrays.copyOf(received.array(), packetBytes())).position(received.position());
        }
        int count = channel.read(received);
        if (count < 0) {
            if (!established) {
                throw new IOException("the peer has closed the socket");
            }
            ended = true;
        }
        if (received.position() == 0) {
            received = NOTHING;
        } else if (!recognized) {
            recognize(received.get(0));
        }
        return count > 0;
    }

    /** Looks at the first byte of the peer: one without TLS is told what is wrong. */
    private void recognize(int type) throws PlainPeerException {
        if (type < FIRST_RECORD_TYPE || type > LAST_RECORD_TYPE) {
            state = State.FAILED;
            throw new PlainPeerException(TlsSide.mismatch(side.client()));
        }
        recognized = true;
    }

    private int packetBytes() {
        return engine == null ? 1 + received.capacity() : engine.getSession().getPacketBufferSize();
    }

    private boolean decrypt(SSLEngine made) throws IOException {
        if (received.position() == 0 && !fill()) {
            return false;
        }
        if (!plain.hasRemaining() && plain.capacity() < made.getSession().getApplicationBufferSize()) {
            plain = ByteBuffer.allocate(made.getSession().getApplicationBufferSize());
        }
        received.flip();
        plain.clear();
        SSLEngineResult result;
        try {
            result = made.unwrap(received, plain);
        } finally {
            received.compact();
            plain.flip();
        }
        if (received.position() == 0) {
            received = NOTHING;
        }
        handshaken(made, result);
        if (result.bytesProduced() > 0) {
            emptyRecords = 0;
        } else if (result.bytesConsumed() > 0 && ++emptyRecords > MAX_EMPTY_RECORDS) {
            throw new SSLProtocolException("the peer goes on sending records without content");
        }
        return switch (result.getStatus()) {
            case BUFFER_UNDERFLOW -> fill();
            case CLOSED -> {
                ended = true;
                yield false;
            }
            default -> true;
        };
    }

    /** Takes note of the end of TLS's handshake. */
    private void handshaken(SSLEngine made, SSLEngineResult result) throws SSLException {
        if (result.getHandshakeStatus() == HandshakeStatus.FINISHED && !established) {
            if (!TlsSide.PROTOCOL.equals(made.getApplicationProtocol())) {
                throw new SSLHandshakeException("the peer does not name the protocol " + TlsSide.PROTOCOL);
            }
            established = true;
        }
    }

    @Override
    public void write(ByteBuffer from) throws IOException {
        if (state == State.FAILED) {
            from.position(from.limit());
            flush();
            return;
        }
        checkStep();
        if (state == State.NEW && side.client()) {
            start();
        }
        SSLEngine made = engine;
        try {
            while (state == State.OPEN && made != null && flush()) {
                HandshakeStatus status = made.getHandshakeStatus();
                if (status == HandshakeStatus.NEED_TASK) {
                    runSteps(made);
                } else if (status == HandshakeStatus.NEED_WRAP || established && from.hasRemaining()) {
                    encrypt(made, established ? from : NOTHING);
                } else {
                    return;
                }
            }
        } catch (SSLException e) {
            throw failed(made, e);
        }
    }

    /** Makes a record, of the bytes or of the handshake, and writes it. */
    private boolean encrypt(SSLEngine made, ByteBuffer from) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(made.getSession().getPacketBufferSize());
        SSLEngineResult result = made.wrap(from, record);
        sending = record.flip();
        handshaken(made, result);
        // The handshake may end without a record, and what has come with its end is to be read.
        return flush() && (result.bytesProduced() > 0 || result.getHandshakeStatus() == HandshakeStatus.FINISHED);
    }

    @Override
    public boolean flush() throws IOException {
        if (outputEnded) {
            sending = NOTHING;
        } else if (sending.hasRemaining()) {
            channel.write(sending);
        }
        if (!sending.hasRemaining()) {
            sending = NOTHING;
        }
        if (shutDown && !outputEnded && sending == NOTHING) {
            outputEnded = true;
            channel.shutdownOutput();
        }
        return sending == NOTHING;
    }

    /** Runs the steps of the engine that take long. */
    private boolean runSteps(SSLEngine made) throws IOException {
        submit(() -> {
            for (Runnable step = made.getDelegatedTask(); step != null; step = made.getDelegatedTask()) {
                step.run();
            }
            // No tickets: a resumed session would spare the peer the checks of its certificate, for a day.
            SSLSession session = made.getHandshakeSession();
            if (session != null && !side.client()) {
                session.invalidate();
            }
        }, false);
        return false;
    }

    private void submit(Runnable step, boolean first) throws IOException {
        state = State.WORKING;
        try {
            cancelStep = side.executor().execute(() -> {
                @Nullable Throwable error = null;
                try {
                    step.run();
                } catch (Throwable t) {
                    error = t;
                }
                Throwable thrown = error;
                loop.accept(() -> stepped(thrown));
            }, first);
        } catch (RejectedExecutionException e) {
            state = State.FAILED;
            throw new IOException("too many peers are being authenticated", e);
        }
    }

    private void stepped(@Nullable Throwable error) {
        cancelStep = null;
        if (state == State.WORKING) {
            stepError = error;
            state = State.OPEN;
            resume.run();
        }
    }

    private void checkStep() throws IOException {
        Throwable error = stepError;
        if (error != null) {
            stepError = null;
            state = State.FAILED;
            throw new SSLException("a key manager, a trust manager or the source of contexts failed: " + error, error);
        }
    }

    /** Prepares the alert that tells the peer why, and drops what comes from now on. */
    private SSLException failed(@Nullable SSLEngine made, SSLException reason) throws IOException {
        state = State.FAILED;
        received = NOTHING;
        plain = NOTHING;
        if (made != null && sending == NOTHING) {
            try {
                int left = MAX_RECORDS;
                while (left > 0 && encrypt(made, NOTHING)) {
                    left--;
                }
            } catch (SSLException e) {
                // There is no alert to send.
            }
        }
        return reason;
    }

    @Override
    public int interest() {
        SSLEngine made = engine;
        boolean blocked = sending != NOTHING;
        // What has come stays in the channel where nothing is read: the selector would return at once, again and again.
        boolean reads = state != State.WORKING
                && !(blocked && made != null && made.getHandshakeStatus() == HandshakeStatus.NEED_WRAP);
        return (reads ? SelectionKey.OP_READ : 0) | (blocked ? SelectionKey.OP_WRITE : 0);
    }

    @Override
    public void shutdownOutput() throws IOException {
        SSLEngine made = engine;
        if (state == State.OPEN && made != null) {
            made.closeOutbound();
            if (flush()) {
                encrypt(made, NOTHING);
            }
        }
        shutDown = true;
        flush();
    }

    @Override
    public void close() {
        state = State.CLOSED;
        received = NOTHING;
        plain = NOTHING;
        sending = NOTHING;
        Runnable cancel = cancelStep;
        if (cancel != null) {
            cancelStep = null;
            cancel.run();
        }
    }
}

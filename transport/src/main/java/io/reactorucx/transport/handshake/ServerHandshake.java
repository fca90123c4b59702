package io.reactorucx.transport.handshake;

import io.reactorucx.security.Authenticator;
import io.reactorucx.transport.config.AuthenticationConfig;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.HandshakeFailure.Kind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of a handshake, see {@link ClientHandshake}. With an {@link Authenticator} a client that is not
 * authenticated gets a challenge or a rejection, which tell nothing about this side but the protocol's version, random
 * numbers and a digest.
 *
 * <p>Thread: one, the handshake's.
 */
public final class ServerHandshake {

    private final PeerInfo own;
    private final ConnectionIdentity identity;
    private final @Nullable AuthenticationConfig authentication;
    private final String client;
    private final HandshakeCallbacks callbacks;
    private final AuthenticatorRunner authenticator;
    private Authenticator.@Nullable ServerSide side;
    private ControlFields hello = ControlFields.NONE;
    private byte[] transcript = new byte[0];
    private @Nullable PeerInfo peer;
    private boolean verified;
    private State state = State.HELLO_AWAITED;

    private static final String INCOMPLETE_HELLO = "the client's HELLO lacks a field, or has a wrong value";

    private enum State { HELLO_AWAITED, AUTHENTICATING, CHALLENGE_SENT, WELCOME_SENT, ENDED }

    /** Creates a handshake that waits for HELLO. The caller limits the time. */
    public ServerHandshake(PeerInfo own, ConnectionIdentity identity, @Nullable AuthenticationConfig authentication,
            AuthenticatorExecutor executor, String client, HandshakeCallbacks callbacks) {
        this.own = own;
        this.identity = identity;
        this.authentication = authentication;
        this.client = client;
        this.callbacks = callbacks;
        this.authenticator = new AuthenticatorRunner(callbacks, executor, error -> reject(Kind.AUTHENTICATION,
                HandshakeFailure.NOT_AUTHENTICATED, error), this::refuse);
    }

    public void received(ControlFrame frame) {
        if (state == State.ENDED) {
            return;
        }
        PeerInfo welcomed = peer;
        if (frame.type() == ControlFrame.Type.REJECT && state != State.HELLO_AWAITED) {
            end(new HandshakeFailure(Kind.PEER, Rejection.of(frame), null));
        } else if (state == State.HELLO_AWAITED && frame.type() != ControlFrame.Type.HELLO) {
            reject(Kind.PROTOCOL, "the first frame was " + frame.type() + ", not HELLO", null);
        } else if (frame.protocolVersion() != ControlFrame.PROTOCOL_VERSION) {
            reject(Kind.VERSION, PeerInfo.mismatch("protocol version", frame.protocolVersion(),
                    ControlFrame.PROTOCOL_VERSION), null);
        } else if (state == State.HELLO_AWAITED) {
            hello = frame.fields();
            onHello(frame);
        } else if (state == State.CHALLENGE_SENT && frame.type() == ControlFrame.Type.PROOF) {
            onProof(frame.fields());
        } else if (state == State.WELCOME_SENT && frame.type() == ControlFrame.Type.READY && welcomed != null
                && frame.fields().encodedBytes() == 0) {
            close();
            callbacks.connected(welcomed);
        } else {
            reject(Kind.PROTOCOL, "the client sent " + frame.type() + " out of order", null);
        }
    }

    private void onHello(ControlFrame frame) {
        // Before the rejection too: a client that connects by worker address takes no frame without its token.
        identity.learnToken(hello);
        String method = hello.text(Key.AUTHENTICATION_METHOD);
        byte[] opening = hello.bytes(Key.AUTHENTICATION);
        AuthenticationConfig wanted = authentication;
        if (wanted == null) {
            if (method == null) {
                welcome(null);
            } else {
                reject(Kind.AUTHENTICATION, PeerInfo.mismatch("authentication", ControlFrame.shown(method), "none"),
                        null);
            }
            return;
        }
        if (method == null || opening == null || !method.equals(wanted.method())) {
            reject(Kind.AUTHENTICATION, HandshakeFailure.NOT_AUTHENTICATED,
                    new SecurityException(PeerInfo.mismatch("authentication",
                            method == null ? "none" : ControlFrame.shown(method), wanted.method())));
            return;
        }
        state = State.AUTHENTICATING;
        authenticator.run(() -> {
            Authenticator.ServerSide made = Objects.requireNonNull(wanted.authenticator().serverSide(client,
                    identity.peerCertificates()), "serverSide");
            side = made;
            return made.challenge(opening);
        }, challenge -> {
            state = State.CHALLENGE_SENT;
            ControlFrame sent = ControlFrame.of(ControlFrame.Type.CHALLENGE,
                    identity.addToken(ControlFields.NONE).with(Key.AUTHENTICATION, challenge)
                            .with(Key.WELCOME_DIGEST, HandshakeDigest.of(welcomeFrame(null))));
            transcript = HandshakeDigest.of(frame, sent);
            callbacks.send(sent);
        });
    }

    private ControlFrame welcomeFrame(byte @Nullable [] ownProof) {
        ControlFields fields = identity.addTo(own.addTo(ControlFields.NONE));
        return ControlFrame.of(ControlFrame.Type.WELCOME,
                ownProof == null ? fields : fields.with(Key.AUTHENTICATION, ownProof));
    }

    private void onProof(ControlFields fields) {
        byte[] proof = fields.isOnly(Key.AUTHENTICATION) ? fields.bytes(Key.AUTHENTICATION) : null;
        Authenticator.ServerSide verifying = side;
        if (proof == null || verifying == null) {
            reject(Kind.AUTHENTICATION, HandshakeFailure.NOT_AUTHENTICATED,
                    new SecurityException("the client has sent no proof"));
            return;
        }
        state = State.AUTHENTICATING;
        authenticator.run(() -> {
            verifying.transcript(transcript);
            return verifying.verify(proof);
        }, this::welcome);
    }

    private void welcome(byte @Nullable [] ownProof) {
        verified = true;
        PeerInfo info = identity.learn(hello) ? PeerInfo.of(hello) : null;
        String mismatch = info == null ? null : PeerInfo.mismatch(info, own);
        Rejection rejection = info != null && mismatch == null ? callbacks.admit(info) : null;
        if (info == null) {
            reject(Kind.PROTOCOL, INCOMPLETE_HELLO, null);
        } else if (mismatch != null) {
            reject(Kind.MISMATCH, mismatch, null);
        } else if (rejection != null) {
            callbacks.send(rejection.toFrame());
            Kind kind = rejection.status().isRetryable() ? Kind.ADMISSION : Kind.MISMATCH;
            end(new HandshakeFailure(kind, rejection, null));
        } else if (ownProof == null) {
            close();
            callbacks.send(welcomeFrame(null));
            callbacks.connected(info);
        } else {
            peer = info;
            state = State.WELCOME_SENT;
            callbacks.send(welcomeFrame(ownProof));
        }
    }

    private void reject(Kind reason, String why, @Nullable Throwable cause) {
        boolean showsReason = authentication == null || verified || reason == Kind.VERSION;
        callbacks.send(new Rejection(showsReason ? why : HandshakeFailure.NOT_AUTHENTICATED).toFrame());
        String detail = cause == null || cause.getMessage() == null ? why : why + ": " + cause.getMessage();
        end(new HandshakeFailure(reason, new Rejection(detail), cause));
    }

    /** Refuses the client at once: too many steps of authenticators wait. */
    private void refuse() {
        callbacks.send(HandshakeFailure.BUSY.toFrame());
        end(new HandshakeFailure(Kind.ADMISSION, HandshakeFailure.BUSY, null));
    }

    private void end(HandshakeFailure failure) {
        close();
        callbacks.failed(failure);
    }

    /** Ends the handshake without a callback. */
    public void close() {
        state = State.ENDED;
        authenticator.close();
    }
}

package io.reactorucx.transport.handshake;

import io.reactorucx.security.Authenticator;
import io.reactorucx.transport.config.AuthenticationConfig;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.HandshakeFailure.Kind;
import java.security.MessageDigest;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of a handshake, independent of the transport: HELLO, then WELCOME. With an {@link Authenticator}:
 * HELLO, CHALLENGE, PROOF, WELCOME with the server's proof, READY. Each side may send REJECT in place of its next
 * frame.
 *
 * <p>Both proofs are over the transcript: HELLO and CHALLENGE as they were sent. CHALLENGE carries the digest of the
 * WELCOME that will follow, so that the transcript covers what the server tells of itself as well, and only
 * authenticated clients learn it. PROOF and READY have no other fields than the protocol's.
 *
 * <p>Thread: one, the handshake's.
 */
public final class ClientHandshake {

    private final PeerInfo own;
    private final ConnectionIdentity identity;
    private final ControlFields additionalFields;
    private final @Nullable AuthenticationConfig authentication;
    private final String server;
    private final HandshakeCallbacks callbacks;
    private final AuthenticatorRunner authenticator;
    private Authenticator.@Nullable ClientSide side;
    private ControlFrame hello = ControlFrame.of(ControlFrame.Type.HELLO);
    private byte[] welcomeDigest = new byte[0];
    private State state = State.NEW;

    private enum State { NEW, AUTHENTICATING, HELLO_SENT, PROOF_SENT, ENDED }

    /** Creates a handshake whose HELLO carries additional fields. The caller limits the time. */
    public ClientHandshake(PeerInfo own, ConnectionIdentity identity, ControlFields additionalFields,
            @Nullable AuthenticationConfig authentication, AuthenticatorExecutor executor, String server,
            HandshakeCallbacks callbacks) {
        this.own = own;
        this.identity = identity;
        this.additionalFields = additionalFields;
        this.authentication = authentication;
        this.server = server;
        this.callbacks = callbacks;
        this.authenticator = new AuthenticatorRunner(callbacks, executor, error -> reject(Kind.AUTHENTICATION,
                HandshakeFailure.NOT_AUTHENTICATED, error), this::refuse);
    }

    public void start() {
        ControlFields fields = identity.addTo(own.addTo(additionalFields));
        AuthenticationConfig method = authentication;
        if (method == null) {
            state = State.HELLO_SENT;
            sendHello(fields);
            return;
        }
        state = State.AUTHENTICATING;
        authenticator.run(() -> {
            Authenticator.ClientSide made = Objects.requireNonNull(method.authenticator().clientSide(server),
                    "clientSide");
            side = made;
            return CompletableFuture.completedFuture(made.opening());
        }, opening -> {
            state = State.HELLO_SENT;
            sendHello(fields.with(Key.AUTHENTICATION_METHOD, method.method()).with(Key.AUTHENTICATION, opening));
        });
    }

    private void sendHello(ControlFields fields) {
        hello = ControlFrame.of(ControlFrame.Type.HELLO, fields);
        callbacks.send(hello);
    }

    public void received(ControlFrame frame) {
        if (state == State.ENDED) {
            return;
        }
        if (frame.type() == ControlFrame.Type.REJECT) {
            end(new HandshakeFailure(Kind.PEER, Rejection.of(frame), null));
        } else if (frame.protocolVersion() != ControlFrame.PROTOCOL_VERSION) {
            reject(Kind.VERSION, PeerInfo.mismatch("protocol version", ControlFrame.PROTOCOL_VERSION,
                    frame.protocolVersion()), null);
        } else if (frame.type() == ControlFrame.Type.CHALLENGE && state == State.HELLO_SENT && authentication != null) {
            onChallenge(frame);
        } else if (frame.type() == ControlFrame.Type.WELCOME && state == State.PROOF_SENT) {
            onAuthenticatedWelcome(frame);
        } else if (frame.type() == ControlFrame.Type.WELCOME && state == State.HELLO_SENT && authentication == null) {
            onWelcome(frame);
        } else if (frame.type() == ControlFrame.Type.WELCOME && state == State.HELLO_SENT) {
            identity.learn(frame.fields());
            reject(Kind.AUTHENTICATION, HandshakeFailure.NOT_AUTHENTICATED,
                    new SecurityException("the server does not authenticate"));
        } else {
            reject(Kind.PROTOCOL, "the server sent " + frame.type() + " out of order", null);
        }
    }

    private void onChallenge(ControlFrame frame) {
        byte[] challenge = frame.fields().bytes(Key.AUTHENTICATION);
        Authenticator.ClientSide proving = side;
        byte[] announced = frame.fields().bytes(Key.WELCOME_DIGEST);
        if (challenge == null || proving == null || announced == null || !identity.learnToken(frame.fields())) {
            reject(Kind.PROTOCOL, "the server's CHALLENGE lacks a field", null);
            return;
        }
        welcomeDigest = announced;
        state = State.AUTHENTICATING;
        byte[] transcript = HandshakeDigest.of(hello, frame);
        authenticator.run(() -> {
            proving.transcript(transcript);
            return proving.prove(challenge);
        }, proof -> {
            state = State.PROOF_SENT;
            callbacks.send(ControlFrame.of(ControlFrame.Type.PROOF,
                    ControlFields.NONE.with(Key.AUTHENTICATION, proof)));
        });
    }

    private void onAuthenticatedWelcome(ControlFrame frame) {
        byte[] proof = frame.fields().bytes(Key.AUTHENTICATION);
        Authenticator.ClientSide verifying = side;
        if (proof == null || verifying == null) {
            reject(Kind.AUTHENTICATION, HandshakeFailure.NOT_AUTHENTICATED,
                    new SecurityException("the server has sent no proof"));
            return;
        }
        state = State.AUTHENTICATING;
        authenticator.run(() -> verifying.verify(proof).thenApply(ignored -> proof),
                verified -> onVerifiedWelcome(frame));
    }

    private void onVerifiedWelcome(ControlFrame frame) {
        ControlFrame announced = ControlFrame.of(ControlFrame.Type.WELCOME,
                frame.fields().without(Key.AUTHENTICATION));
        if (MessageDigest.isEqual(HandshakeDigest.of(announced), welcomeDigest)) {
            onWelcome(frame);
        } else {
            reject(Kind.AUTHENTICATION, HandshakeFailure.NOT_AUTHENTICATED,
                    new SecurityException("the server's WELCOME is not the one that its CHALLENGE announced"));
        }
    }

    private void onWelcome(ControlFrame frame) {
        PeerInfo peer = identity.learn(frame.fields()) ? PeerInfo.of(frame.fields()) : null;
        String mismatch = peer == null ? null : PeerInfo.mismatch(own, peer);
        if (peer == null) {
            reject(Kind.PROTOCOL, "the server's WELCOME lacks a field, or has a wrong value", null);
        } else if (mismatch != null) {
            reject(Kind.MISMATCH, mismatch, null);
        } else {
            close();
            if (authentication != null) {
                callbacks.send(ControlFrame.of(ControlFrame.Type.READY));
            }
            callbacks.connected(peer);
        }
    }

    private void reject(Kind reason, String why, @Nullable Throwable cause) {
        if (state != State.NEW) {
            callbacks.send(new Rejection(why).toFrame());
        }
        String detail = cause == null || cause.getMessage() == null ? why : why + ": " + cause.getMessage();
        end(new HandshakeFailure(reason, new Rejection(detail), cause));
    }

    /** Gives up: too many steps of authenticators wait. */
    private void refuse() {
        if (state == State.AUTHENTICATING && side != null) {
            callbacks.send(HandshakeFailure.BUSY.toFrame());
        }
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

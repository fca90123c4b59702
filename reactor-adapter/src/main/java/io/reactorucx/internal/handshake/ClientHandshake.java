package io.reactorucx.internal.handshake;

import io.reactorucx.internal.config.AuthenticationConfig;
import io.reactorucx.internal.frame.ControlFields;
import io.reactorucx.internal.frame.ControlFields.Key;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.handshake.HandshakeFailure.Kind;
import io.reactorucx.security.Authenticator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The client's side of a handshake, over whatever carries the frames: HELLO, then WELCOME. With an
 * {@link Authenticator}: HELLO, CHALLENGE, PROOF, WELCOME with the server's proof, READY. Instead of its next frame
 * each side may send REJECT. On one thread.
 */
public final class ClientHandshake {

    private final PeerInfo own;
    private final ControlFields more;
    private final @Nullable AuthenticationConfig authentication;
    private final String server;
    private final HandshakeCallbacks output;
    private final AuthenticatorRunner steps;
    private Authenticator.@Nullable ClientSide side;
    private State state = State.NEW;

    private enum State { NEW, BUSY, HELLO_SENT, PROOF_SENT, ENDED }

    /** Of {@code more}, HELLO carries all; the time limit is the caller's. */
    public ClientHandshake(PeerInfo own, ControlFields more, @Nullable AuthenticationConfig authentication,
            Scheduler scheduler, String server,
            HandshakeCallbacks output) {
        this.own = own;
        this.more = more;
        this.authentication = authentication;
        this.server = server;
        this.output = output;
        this.steps = new AuthenticatorRunner(output, scheduler, error -> refuse(Kind.AUTHENTICATION,
                HandshakeFailure.NOT_AUTHENTICATED, error));
    }

    public void start() {
        ControlFields hello = own.addTo(more);
        AuthenticationConfig method = authentication;
        if (method == null) {
            state = State.HELLO_SENT;
            output.send(ControlFrame.of(ControlFrame.Type.HELLO, hello));
            return;
        }
        state = State.BUSY;
        steps.run(() -> {
            Authenticator.ClientSide made = Objects.requireNonNull(method.authenticator().clientSide(server),
                    "clientSide");
            side = made;
            return Mono.just(made.opening());
        }, opening -> {
            state = State.HELLO_SENT;
            output.send(ControlFrame.of(ControlFrame.Type.HELLO, hello.with(Key.AUTHENTICATION_METHOD, method.method())
                    .with(Key.AUTHENTICATION, opening)));
        });
    }

    public void received(ControlFrame frame) {
        if (state == State.ENDED) {
            return;
        }
        if (frame.type() == ControlFrame.Type.REJECT) {
            end(new HandshakeFailure(Kind.PEER, Rejection.of(frame), null));
        } else if (frame.protocolVersion() != ControlFrame.PROTOCOL_VERSION) {
            refuse(Kind.VERSION, PeerInfo.differs("protocol version", ControlFrame.PROTOCOL_VERSION,
                    frame.protocolVersion()), null);
        } else if (frame.type() == ControlFrame.Type.CHALLENGE && state == State.HELLO_SENT && authentication != null) {
            challenged(frame);
        } else if (frame.type() == ControlFrame.Type.WELCOME && state == State.PROOF_SENT) {
            proven(frame);
        } else if (frame.type() == ControlFrame.Type.WELCOME && state == State.HELLO_SENT && authentication == null) {
            welcomed(frame);
        } else if (frame.type() == ControlFrame.Type.WELCOME && state == State.HELLO_SENT) {
            refuse(Kind.AUTHENTICATION, HandshakeFailure.NOT_AUTHENTICATED,
                    new SecurityException("the server asks for no proof and gives none"));
        } else {
            refuse(Kind.PROTOCOL, "the server sent " + frame.type() + " out of turn", null);
        }
    }

    private void challenged(ControlFrame frame) {
        byte[] challenge = frame.fields().bytes(Key.AUTHENTICATION);
        Authenticator.ClientSide proving = side;
        if (challenge == null || proving == null) {
            refuse(Kind.PROTOCOL, "the server's CHALLENGE is empty", null);
            return;
        }
        state = State.BUSY;
        steps.run(() -> proving.prove(challenge), proof -> {
            state = State.PROOF_SENT;
            output.send(ControlFrame.of(ControlFrame.Type.PROOF, ControlFields.NONE.with(Key.AUTHENTICATION, proof)));
        });
    }

    private void proven(ControlFrame frame) {
        byte[] proof = frame.fields().bytes(Key.AUTHENTICATION);
        Authenticator.ClientSide verifying = side;
        if (proof == null || verifying == null) {
            refuse(Kind.AUTHENTICATION, HandshakeFailure.NOT_AUTHENTICATED,
                    new SecurityException("the server gives no proof"));
            return;
        }
        state = State.BUSY;
        steps.run(() -> verifying.verify(proof).thenReturn(proof), verified -> welcomed(frame));
    }

    private void welcomed(ControlFrame frame) {
        PeerInfo peer = PeerInfo.of(frame.fields());
        String difference = peer == null ? null : PeerInfo.difference(own, peer);
        if (peer == null) {
            refuse(Kind.PROTOCOL, "the server's WELCOME does not say what it has to", null);
        } else if (difference != null) {
            refuse(Kind.MISMATCH, difference, null);
        } else {
            close();
            if (authentication != null) {
                output.send(ControlFrame.of(ControlFrame.Type.READY));
            }
            output.connected(peer);
        }
    }

    private void refuse(Kind reason, String why, @Nullable Throwable cause) {
        if (state != State.NEW) {
            output.send(new Rejection(why).toFrame());
        }
        String detail = cause == null || cause.getMessage() == null ? why : why + ": " + cause.getMessage();
        end(new HandshakeFailure(reason, new Rejection(detail), cause));
    }

    private void end(HandshakeFailure failure) {
        close();
        output.failed(failure);
    }

    /** Nothing comes of it any more. */
    public void close() {
        state = State.ENDED;
        steps.close();
    }
}

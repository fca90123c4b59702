package io.reactorucx.internal.handshake;

import io.reactorucx.internal.config.AuthenticationConfig;
import io.reactorucx.internal.frame.ControlFields;
import io.reactorucx.internal.frame.ControlFields.Key;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.handshake.HandshakeFailure.Kind;
import io.reactorucx.security.Authenticator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * The server's side of a handshake, see {@link ClientHandshake}. With an {@link Authenticator} a client that has not
 * proved who it is gets a challenge or a rejection, in which nothing stands of this side but the version of the
 * protocol. On one thread.
 */
public final class ServerHandshake {

    private final PeerInfo own;
    private final @Nullable AuthenticationConfig authentication;
    private final String client;
    private final HandshakeCallbacks output;
    private final AuthenticatorRunner steps;
    private Authenticator.@Nullable ServerSide side;
    private ControlFields hello = ControlFields.NONE;
    private @Nullable PeerInfo peer;
    private boolean verified;
    private State state = State.WAITING;

    private enum State { WAITING, BUSY, CHALLENGE_SENT, WELCOME_SENT, ENDED }

    /** The time limit is the caller's. */
    public ServerHandshake(PeerInfo own, @Nullable AuthenticationConfig authentication, Scheduler scheduler,
            String client, HandshakeCallbacks output) {
        this.own = own;
        this.authentication = authentication;
        this.client = client;
        this.output = output;
        this.steps = new AuthenticatorRunner(output, scheduler, error -> refuse(Kind.AUTHENTICATION,
                HandshakeFailure.NOT_AUTHENTICATED, error));
    }

    public void received(ControlFrame frame) {
        if (state == State.ENDED) {
            return;
        }
        PeerInfo proven = peer;
        if (frame.type() == ControlFrame.Type.REJECT && state != State.WAITING) {
            end(new HandshakeFailure(Kind.PEER, Rejection.of(frame), null));
        } else if (state == State.WAITING && frame.type() != ControlFrame.Type.HELLO) {
            refuse(Kind.PROTOCOL, "the first frame was " + frame.type() + " and not HELLO", null);
        } else if (frame.protocolVersion() != ControlFrame.PROTOCOL_VERSION) {
            refuse(Kind.VERSION, PeerInfo.differs("protocol version", frame.protocolVersion(),
                    ControlFrame.PROTOCOL_VERSION), null);
        } else if (state == State.WAITING) {
            hello = frame.fields();
            greeted();
        } else if (state == State.CHALLENGE_SENT && frame.type() == ControlFrame.Type.PROOF) {
            proven(frame.fields().bytes(Key.AUTHENTICATION));
        } else if (state == State.WELCOME_SENT && frame.type() == ControlFrame.Type.READY && proven != null) {
            close();
            output.connected(proven);
        } else {
            refuse(Kind.PROTOCOL, "the client sent " + frame.type() + " out of turn", null);
        }
    }

    private void greeted() {
        String method = hello.text(Key.AUTHENTICATION_METHOD);
        byte[] opening = hello.bytes(Key.AUTHENTICATION);
        AuthenticationConfig wanted = authentication;
        if (wanted == null) {
            if (method == null) {
                welcome(null);
            } else {
                refuse(Kind.AUTHENTICATION, PeerInfo.differs("authentication", ControlFrame.shown(method), "none"),
                        null);
            }
            return;
        }
        if (method == null || opening == null || !method.equals(wanted.method())) {
            refuse(Kind.AUTHENTICATION, HandshakeFailure.NOT_AUTHENTICATED,
                    new SecurityException(PeerInfo.differs("authentication",
                    method == null ? "none" : ControlFrame.shown(method), wanted.method())));
            return;
        }
        state = State.BUSY;
        steps.run(() -> {
            Authenticator.ServerSide made = Objects.requireNonNull(wanted.authenticator().serverSide(client),
                    "serverSide");
            side = made;
            return made.challenge(opening);
        }, challenge -> {
            state = State.CHALLENGE_SENT;
            output.send(ControlFrame.of(ControlFrame.Type.CHALLENGE,
                    ControlFields.NONE.with(Key.AUTHENTICATION, challenge)));
        });
    }

    private void proven(byte @Nullable [] proof) {
        Authenticator.ServerSide verifying = side;
        if (proof == null || verifying == null) {
            refuse(Kind.AUTHENTICATION, HandshakeFailure.NOT_AUTHENTICATED,
                    new SecurityException("the client gives no proof"));
            return;
        }
        state = State.BUSY;
        steps.run(() -> verifying.verify(proof), this::welcome);
    }

    private void welcome(byte @Nullable [] ownProof) {
        verified = true;
        PeerInfo greeting = PeerInfo.of(hello);
        String difference = greeting == null ? null : PeerInfo.difference(greeting, own);
        Rejection rejection = greeting != null && difference == null ? output.admit() : null;
        if (greeting == null) {
            refuse(Kind.PROTOCOL, "the client's HELLO does not say what it has to", null);
        } else if (difference != null) {
            refuse(Kind.MISMATCH, difference, null);
        } else if (rejection != null) {
            output.send(rejection.toFrame());
            end(new HandshakeFailure(Kind.ADMISSION, rejection, null));
        } else if (ownProof == null) {
            close();
            output.send(ControlFrame.of(ControlFrame.Type.WELCOME, own.addTo(ControlFields.NONE)));
            output.connected(greeting);
        } else {
            peer = greeting;
            state = State.WELCOME_SENT;
            output.send(ControlFrame.of(ControlFrame.Type.WELCOME,
                    own.addTo(ControlFields.NONE).with(Key.AUTHENTICATION, ownProof)));
        }
    }

    private void refuse(Kind reason, String why, @Nullable Throwable cause) {
        boolean mayKnow = authentication == null || verified || reason == Kind.VERSION;
        output.send(new Rejection(mayKnow ? why : HandshakeFailure.NOT_AUTHENTICATED).toFrame());
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

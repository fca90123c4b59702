package io.reactorucx;

import static io.reactorucx.HandshakePair.CLIENT;
import static io.reactorucx.HandshakePair.SECRET;
import static io.reactorucx.HandshakePair.SERVER;
import static io.reactorucx.HandshakePair.facts;
import static io.reactorucx.HandshakePair.identified;
import static io.reactorucx.HandshakePair.secret;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.security.Authenticator;
import io.reactorucx.transport.config.AuthenticationConfig;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.config.ProtocolConfig;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ControlFrame.Type;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.HandshakeFailure.Kind;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.handshake.ServerHandshake;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Sinks;

/** Who proves to know the secret is let in, on either side, and nobody else is told anything. */
class AuthenticatorTest {

    private final HandshakePair pair = new HandshakePair();

    @Test
    void bothProveThatTheyKnowTheSecret() {
        pair.meet(CLIENT, secret(), SERVER, secret());

        pair.assertConnected();
        assertThat(pair.client.types()).containsExactly(Type.HELLO, Type.PROOF, Type.READY);
        assertThat(pair.server.types()).containsExactly(Type.CHALLENGE, Type.WELCOME);
    }

    @Test
    void proofIsOverTheProtocolsVersionTheRoleTheNoncesAndTheTranscript() throws GeneralSecurityException {
        Authenticator.ClientSide client = secret().clientSide("server");
        Authenticator.ServerSide server = secret().serverSide("client");
        byte[] ofClient = client.opening();
        byte[] ofServer = server.challenge(ofClient).toCompletableFuture().join();
        byte[] transcript = {1, 2, 3};
        client.transcript(transcript);
        byte[] label = ("reactor-ucx " + ControlFrame.PROTOCOL_VERSION + " CLIENT\0")
                .getBytes(StandardCharsets.US_ASCII);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
        mac.update(label);
        mac.update(ofClient);
        mac.update(ofServer);

        assertThat(client.prove(ofServer).toCompletableFuture().join()).isEqualTo(mac.doFinal(transcript));
    }

    @Test
    void secretProvesNothingWithoutATranscript() {
        Authenticator.ClientSide client = secret().clientSide("server");

        assertThatThrownBy(() -> client.prove(new byte[32])).isInstanceOf(SecurityException.class)
                .hasMessageContaining("transcript is missing");
    }

    /** Who stands between the two peers changes one bit of one frame. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void anyBitThatIsChangedOnTheWayEndsTheHandshake(int frame) {
        int bits = Objects.requireNonNull(relayed(frame, bytes -> bytes)).length * Byte.SIZE;
        assertThat(bits).isPositive();
        for (int bit = 0; bit < bits; bit++) {
            int changed = bit;
            relayed(frame, bytes -> {
                bytes[changed / Byte.SIZE] ^= (byte) (1 << changed % Byte.SIZE);
                return bytes;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void fieldThatIsAddedOnTheWayEndsTheHandshake(int frame) {
        relayed(frame, bytes -> {
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 3);
            longer[bytes.length] = (byte) 200;
            return longer;
        });
    }

    /**
     * Hands over all frames, one of them changed, and checks that both sides connect if and only if the change changes
     * nothing. Returns the frame that was changed, as it was.
     */
    private static byte @Nullable [] relayed(int which, UnaryOperator<byte[]> change) {
        HandshakePair two = new HandshakePair();
        two.between(CLIENT, secret(), SERVER, secret());
        two.clientSide.start();
        byte[] original = null;
        byte[] arrived = null;
        for (int i = 0; i <= 4; i++) {
            two.client.runTasks();
            two.server.runTasks();
            HandshakePair.Said from = i % 2 == 0 ? two.client : two.server;
            ControlFrame said = from.frames.poll();
            if (said == null) {
                break;
            }
            byte[] bytes = said.toBytes();
            if (i == which) {
                original = bytes.clone();
                bytes = change.apply(bytes);
                arrived = bytes;
            }
            ControlFrame frame = ControlFrame.parse(bytes);
            if (frame == null) {
                break;
            }
            if (i % 2 == 0) {
                two.serverSide.received(frame);
            } else {
                two.clientSide.received(frame);
            }
        }
        boolean connected = two.client.peer != null && two.server.peer != null;
        assertThat(connected).as("frame %d as %s, was %s", which, arrived, original)
                .isEqualTo(Arrays.equals(original, arrived));
        return original;
    }

    private void assertServerSaidNothing() {
        assertThat(pair.server.all).allSatisfy(frame -> {
            assertThat(frame.type()).isIn(Type.REJECT, Type.CHALLENGE);
            assertThat(frame.reason()).isIn("", "authentication failed");
            assertThat(Arrays.stream(Key.values()).filter(frame.fields()::has))
                    .isSubsetOf(Key.AUTHENTICATION, Key.TOKEN, Key.WELCOME_DIGEST);
        });
    }

    @Test
    void clientWithAnotherSecretIsRefused() {
        pair.meet(CLIENT, Authenticator.sharedSecret(new byte[16]), SERVER, secret());

        pair.server.assertFailed(Kind.AUTHENTICATION, "the proof is wrong");
        pair.client.assertFailed(Kind.PEER, "authentication failed");
        assertServerSaidNothing();
    }

    @Test
    void clientThatProvesNothingIsRefusedWhateverElseIsWrong() {
        pair.meet(facts(ErrorMode.NONE, ByteOrder.BIG_ENDIAN, 0, 1), null, SERVER, secret());

        pair.server.assertFailed(Kind.AUTHENTICATION, "authentication: none at the client, hmac-sha-256 at the server");
        pair.client.assertFailed(Kind.PEER, "authentication failed");
        assertServerSaidNothing();
    }

    @Test
    void whatDiffersIsSaidToAnAuthenticatedClient() {
        pair.meet(facts(ErrorMode.NONE, ByteOrder.LITTLE_ENDIAN, 0, 1), secret(), SERVER, secret());

        pair.server.assertFailed(Kind.MISMATCH, "error mode");
        pair.client.assertFailed(Kind.PEER, "error mode: NONE at the client, PEER at the server");
    }

    @ParameterizedTest
    @EnumSource(value = Type.class, names = "HELLO", mode = EnumSource.Mode.EXCLUDE)
    void serverThatWantsAProofSaysNoMoreThanThat(Type type) {
        pair.between(CLIENT, null, SERVER, secret());
        pair.serverSide.received(ControlFrame.of(type));
        pair.server.assertFailed(Kind.PROTOCOL, "the first frame was " + type + ", not HELLO");
        assertServerSaidNothing();
    }

    @Test
    void serverThatHasEnoughSaysSoOnlyToWhomItKnows() {
        pair.server.rejection = new Rejection("enough");
        pair.meet(CLIENT, secret(), SERVER, secret());
        pair.client.assertFailed(Kind.PEER, "enough");

        HandshakePair stranger = new HandshakePair();
        stranger.server.rejection = new Rejection("enough");
        stranger.meet(CLIENT, null, SERVER, secret());
        stranger.client.assertFailed(Kind.PEER, "authentication failed");
    }

    @Test
    void serverWithoutAnAuthenticatorSaysSo() {
        pair.meet(CLIENT, secret(), SERVER, null);

        pair.server.assertFailed(Kind.AUTHENTICATION, "authentication: hmac-sha-256 at the client, none at the server");
        pair.client.assertFailed(Kind.PEER, "authentication: hmac-sha-256 at the client, none at the server");
    }

    @Test
    void serverThatAsksForNoProofIsRefused() {
        pair.between(CLIENT, secret(), SERVER, null);
        pair.clientSide.start();
        pair.client.runTasks();
        pair.clientSide.received(ControlFrame.of(Type.WELCOME, identified(SERVER)));

        pair.client.assertFailed(Kind.AUTHENTICATION, "authentication failed", "does not authenticate");
        assertThat(pair.client.all.getLast().reason()).isEqualTo("authentication failed");
    }

    private static ControlFrame challenge(byte[] bytes) {
        return ControlFrame.of(Type.CHALLENGE, ControlFields.NONE.with(Key.TOKEN, 1).with(Key.AUTHENTICATION, bytes)
                .with(Key.WELCOME_DIGEST, new byte[32]));
    }

    /** It takes any proof, and has none of its own, or a wrong one. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 32})
    void serverThatDoesNotKnowTheSecretIsRefused(int proofBytes) {
        pair.between(CLIENT, secret(), SERVER, null);
        pair.clientSide.start();
        pair.client.runTasks();
        pair.clientSide.received(challenge(new byte[32]));
        pair.client.runTasks();
        ControlFields welcome = identified(SERVER);
        welcome = proofBytes < 0 ? welcome : welcome.with(Key.AUTHENTICATION, new byte[proofBytes]);
        pair.clientSide.received(ControlFrame.of(Type.WELCOME, welcome));
        pair.client.runTasks();

        pair.client.assertFailed(Kind.AUTHENTICATION, "authentication failed", proofBytes < 0 ? "no proof"
                : "the proof is wrong");
        assertThat(pair.client.types()).containsExactly(Type.HELLO, Type.PROOF, Type.REJECT);
    }

    /** It hands the client's own challenge and proof back. */
    @Test
    void reflectedProofIsRefused() {
        pair.between(CLIENT, secret(), SERVER, null);
        pair.clientSide.start();
        pair.client.runTasks();
        byte[] opening = pair.client.all.getFirst().fields().bytes(Key.AUTHENTICATION);
        pair.clientSide.received(challenge(opening));
        pair.client.runTasks();
        byte[] proof = pair.client.all.getLast().fields().bytes(Key.AUTHENTICATION);
        assertThat(proof).hasSize(32);
        pair.clientSide.received(ControlFrame.of(Type.WELCOME,
                identified(SERVER).with(Key.AUTHENTICATION, proof)));
        pair.client.runTasks();

        pair.client.assertFailed(Kind.AUTHENTICATION, "the proof is wrong");
    }

    /** Somebody who has listened says again what the client said. */
    @Test
    void replayedProofIsRefused() {
        pair.meet(CLIENT, secret(), SERVER, secret());
        pair.assertConnected();

        HandshakePair.Said again = new HandshakePair.Said();
        ServerHandshake second = new ServerHandshake(SERVER, new ConnectionIdentity(HandshakePair.SERVER_ADDRESS),
                AuthenticationConfig.of(secret()), HandshakePair.IMMEDIATE, "somebody", again);
        second.received(pair.client.all.get(0));
        again.runTasks();
        second.received(pair.client.all.get(1));
        again.runTasks();

        again.assertFailed(Kind.AUTHENTICATION, "the proof is wrong");
        assertThat(again.types()).containsExactly(Type.CHALLENGE, Type.REJECT);
    }

    @Test
    void noTwoHandshakesLookTheSame() {
        pair.meet(CLIENT, secret(), SERVER, secret());
        byte[] opening = pair.client.all.getFirst().fields().bytes(Key.AUTHENTICATION);
        byte[] challenge = pair.server.all.getFirst().fields().bytes(Key.AUTHENTICATION);
        assertThat(opening).hasSize(32).isNotEqualTo(challenge);

        HandshakePair other = new HandshakePair();
        other.meet(CLIENT, secret(), SERVER, secret());
        assertThat(other.client.all.getFirst().fields().bytes(Key.AUTHENTICATION)).isNotEqualTo(opening);
        assertThat(other.server.all.getFirst().fields().bytes(Key.AUTHENTICATION)).isNotEqualTo(challenge);
    }

    @Test
    void secretIsCopiedAndNotShown() {
        byte[] given = SECRET.clone();
        Authenticator copied = Authenticator.sharedSecret(given);
        Arrays.fill(given, (byte) 0);
        pair.meet(CLIENT, copied, SERVER, secret());

        pair.assertConnected();
        assertThat(copied.toString()).isEqualTo("hmac-sha-256");
        ProtocolConfig config = ProtocolConfig.DEFAULT.withAuthentication(AuthenticationConfig.of(secret()));
        assertThat(ConnectionConfig.DEFAULT.withProtocol(config).toString()).contains("hmac-sha-256")
                .doesNotContain("sixteen");
    }

    @Test
    void shortSecretIsRefused() {
        assertThatThrownBy(() -> Authenticator.sharedSecret(new byte[15])).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("secret of 15 bytes: must have at least 16");
    }

    /** Proofs of a slow kind: nothing happens until they are there, and then only if anybody still waits. */
    private static final class Slow implements Authenticator {

        private final Sinks.One<byte[]> challenge = Sinks.one();
        private final Sinks.One<byte[]> answer = Sinks.one();

        @Override
        public String method() {
            return "slow";
        }

        @Override
        public ClientSide clientSide(String server) {
            throw new IllegalStateException("the card is not in the reader");
        }

        @Override
        public ServerSide serverSide(String client) {
            return new ServerSide() {
                @Override
                public CompletionStage<byte[]> challenge(byte[] opening) {
                    return challenge.asMono().toFuture();
                }

                @Override
                public CompletionStage<byte[]> verify(byte[] proof) {
                    return answer.asMono().toFuture();
                }
            };
        }
    }

    private Slow slowServer() {
        Slow slow = new Slow();
        pair.between(CLIENT, null, SERVER, slow);
        pair.serverSide.received(ControlFrame.of(Type.HELLO,
                identified(CLIENT).with(Key.AUTHENTICATION_METHOD, "slow")
                .with(Key.AUTHENTICATION, new byte[0])));
        return slow;
    }

    @Test
    void slowAuthenticatorIsWaitedFor() {
        Slow slow = slowServer();
        assertThat(pair.server.runTasks()).isFalse();

        slow.challenge.tryEmitValue(new byte[] {1}).orThrow();
        assertThat(pair.server.all).as("only on its own thread").isEmpty();
        pair.server.runTasks();
        assertThat(pair.server.types()).containsExactly(Type.CHALLENGE);
        pair.serverSide.received(ControlFrame.of(Type.PROOF,
                ControlFields.NONE.with(Key.AUTHENTICATION, new byte[] {2})));
        slow.answer.tryEmitValue(new byte[] {3}).orThrow();
        pair.server.runTasks();
        assertThat(pair.server.types()).containsExactly(Type.CHALLENGE, Type.WELCOME);
        assertThat(pair.server.peer).as("the client has not checked this side yet").isNull();
        pair.serverSide.received(ControlFrame.of(Type.READY));
        assertThat(pair.server.peer).isEqualTo(CLIENT);
    }

    @Test
    void authenticatorThatIsTooSlowIsNotHeard() {
        Slow slow = slowServer();
        pair.serverSide.close();

        assertThat(slow.challenge.currentSubscriberCount()).isZero();
        slow.challenge.tryEmitValue(new byte[] {1});
        pair.server.runTasks();
        assertThat(pair.server.all).isEmpty();
        assertThat(pair.server.failure).isNull();
    }

    @Test
    void resultThatIsOnItsWayWhenItIsOverIsNotHeard() {
        Slow slow = slowServer();
        slow.challenge.tryEmitValue(new byte[] {1}).orThrow();
        pair.serverSide.close();
        pair.server.runTasks();
        assertThat(pair.server.all).isEmpty();
    }

    @Test
    void clientThatDoesNotWaitForItsTurnIsRefused() {
        slowServer();
        pair.serverSide.received(ControlFrame.of(Type.PROOF,
                ControlFields.NONE.with(Key.AUTHENTICATION, new byte[] {2})));

        pair.server.assertFailed(Kind.PROTOCOL, "the client sent PROOF out of order");
        assertServerSaidNothing();
    }

    @Test
    void authenticatorThatAcceptsNothingRefuses() {
        Slow slow = slowServer();
        slow.challenge.tryEmitEmpty().orThrow();
        pair.server.runTasks();
        pair.server.assertFailed(Kind.AUTHENTICATION, "gave no value");
        assertServerSaidNothing();
    }

    @Test
    void authenticatorThatSaysTooMuchRefuses() {
        Slow slow = slowServer();
        slow.challenge.tryEmitValue(new byte[Authenticator.MAX_BYTES + 1]).orThrow();
        pair.server.runTasks();
        pair.server.assertFailed(Kind.AUTHENTICATION, "4097 bytes");
    }

    @Test
    void authenticatorThatThrowsEndsTheClientToo() {
        pair.meet(CLIENT, new Slow(), SERVER, new Slow());
        pair.client.assertFailed(Kind.AUTHENTICATION, "authentication failed", "the card is not in the reader");
        assertThat(pair.client.failure.toException("them")).hasMessageContaining("them")
                .hasMessageContaining("the card")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "ümlaut", "a\nb"})
    void methodHasAName(String name) {
        Authenticator nameless = new Authenticator() {
            @Override
            public String method() {
                return name;
            }

            @Override
            public ClientSide clientSide(String server) {
                throw new IllegalStateException();
            }

            @Override
            public ServerSide serverSide(String client) {
                throw new IllegalStateException();
            }
        };
        assertThatThrownBy(() -> AuthenticationConfig.of(nameless)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("authenticator.method()");
    }
}

package io.reactorucx.security;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates both peers of a connection, before any other data is exchanged. The client names its method and opens;
 * the server replies with a challenge; the client sends its proof; the server replies with its own proof, and the
 * client checks it.
 *
 * <p>Both sides also get the digest of what they have told each other, by {@code transcript}, before the first proof:
 * versions, limits, error mode, the addresses of their workers and the tokens that mark each later message as this
 * connection's. Proofs should be over it, as those of {@link #sharedSecret} are: then an attacker between the two peers
 * who changes any of it makes the proofs wrong. An authenticator that does without proves who the peer is, and not what
 * was agreed. One that wraps another has to hand the digest on.
 *
 * <p>An authenticator decides which peers may connect. Later messages are neither encrypted nor signed, and who reads
 * the traffic also reads the tokens: networks that are not trusted need further protection. {@link TlsConfig} encrypts
 * the handshake, and gives the server's side the client's certificates.
 *
 * <p><b>Threading:</b> the methods of both sides are called on a limited number of threads of the resources, see
 * {@code UcxResourcesBuilder.authenticatorLimits}, one after the other for one connection, and
 * may block; a stage may also complete on any thread, at any time. The time limit of the handshake covers all steps,
 * interrupts a thread that blocks in one, and cancels a stage. <b>Ownership:</b> arrays are handed over.
 * <b>Errors:</b> an exception that is thrown or signalled rejects the peer, which learns only that it is not
 * authenticated; the exception is logged on this side.
 */
public interface Authenticator {

    /** Maximum bytes of an opening, a challenge or a proof. */
    int MAX_BYTES = 4096;

    /**
     * Returns an authenticator by a shared secret: both sides prove that they know it by HMAC-SHA-256 over random
     * numbers of both and the transcript. The secret does not travel, but an eavesdropper or a false server can test
     * guesses offline: use random bytes, not a word.
     *
     * @param secret at least 16 bytes; copied
     * @return an authenticator for clients and servers
     */
    static Authenticator sharedSecret(byte[] secret) {
        return new SharedSecret(secret);
    }

    /**
     * {@return the name of the method, 1 to 64 characters of ASCII; it travels in the clear and is the same on both
     * sides}
     */
    String method();

    /**
     * The client's side of a handshake.
     *
     * @param server name of the server
     * @return a new object for each handshake
     */
    ClientSide clientSide(String server);

    /**
     * The server's side of a handshake.
     *
     * @param client name of the client
     * @return a new object for each handshake
     */
    ServerSide serverSide(String client);

    /**
     * The server's side of a handshake with a client that TLS may have authenticated: to refuse a client by its
     * certificates, throw. Calls {@link #serverSide(String)} by default.
     *
     * @param client name of the client
     * @param certificates of the client; null without TLS, or if it has none
     * @return a new object for each handshake
     */
    default ServerSide serverSide(String client, @Nullable PeerCertificates certificates) {
        return serverSide(client);
    }

    /** The steps of a client, in this order. */
    interface ClientSide {

        /**
         * {@return bytes that travel with the name of the method, at most {@link #MAX_BYTES}; no proof, because the
         * server is not authenticated yet}
         */
        byte[] opening();

        /**
         * Takes the digest of what both sides have told each other, the challenge included. Does nothing by default.
         *
         * @param digest 32 bytes, the same on both sides unless somebody has changed what they said
         */
        default void transcript(byte[] digest) {
        }

        /**
         * Proves the client's identity.
         *
         * @param challenge of the server, not authenticated
         * @return the proof
         */
        CompletionStage<byte[]> prove(byte[] challenge);

        /**
         * Checks the server's proof.
         *
         * @param proof of the server, not authenticated
         * @return completes when the proof is right
         */
        CompletionStage<Void> verify(byte[] proof);
    }

    /** The steps of a server, in this order. */
    interface ServerSide {

        /**
         * Challenges the client.
         *
         * @param opening of the client, not authenticated
         * @return the challenge
         */
        CompletionStage<byte[]> challenge(byte[] opening);

        /**
         * Takes the digest of what both sides have told each other, the challenge included. Does nothing by default.
         *
         * @param digest 32 bytes, the same on both sides unless somebody has changed what they said
         */
        default void transcript(byte[] digest) {
        }

        /**
         * Checks the client's proof.
         *
         * @param proof of the client, not authenticated
         * @return this side's own proof if the client's is right; an error, or null, if not
         */
        CompletionStage<byte[]> verify(byte[] proof);
    }
}

package io.reactorucx.security;

import reactor.core.publisher.Mono;

/**
 * Authenticates client and server to each other during the handshake, before any data is exchanged. The client sends
 * the name of its method and an opening, the server replies with a challenge, the client sends its proof, the server
 * replies with its own proof, and the client verifies that.
 *
 * <p>This only decides who may connect. Later data is neither encrypted nor signed, and an attacker between two peers
 * can forward these messages: untrusted networks need further protection.
 *
 * <p><b>Threading:</b> the methods of both sides are called on
 * {@link reactor.core.scheduler.Schedulers#boundedElastic()}, one after the other for one connection, and may block; a
 * Mono may also end on any thread, any time. The time limit of the handshake covers all of it. <b>Ownership:</b> arrays
 * are handed over. <b>Errors:</b> an exception or error signal rejects the peer, which learns no more than that
 * it is not authenticated; this side logs the error.
 */
public interface Authenticator {

    /** The maximum size of an opening, a challenge or a proof in bytes. */
    int MAX_BYTES = 4096;

    /**
     * Returns an authenticator for sides that share a secret: each proves to know it by HMAC-SHA-256 over random
     * numbers of both. The secret is not sent, but an eavesdropper or a false server can test guesses offline: use
     * random bytes, not a word.
     *
     * @param secret at least 16 bytes; copied
     * @return an authenticator for clients and servers
     */
    static Authenticator sharedSecret(byte[] secret) {
        return new SharedSecret(secret);
    }

    /**
     * {@return the name of the method, 1 to 64 characters of ASCII; it is sent in plain text and has to be the same on
     * both sides}
     */
    String method();

    /**
     * Returns the client's side of a handshake.
     *
     * @param server the name of the server
     * @return a new object for each handshake
     */
    ClientSide clientSide(String server);

    /**
     * Returns the server's side of a handshake.
     *
     * @param client the name of the client
     * @return a new object for each handshake
     */
    ServerSide serverSide(String client);

    /** The client's steps, called in this order. */
    interface ClientSide {

        /**
         * {@return the opening, at most {@link #MAX_BYTES}; no proof, because the server is not authenticated yet}
         */
        byte[] opening();

        /**
         * Proves the client's identity.
         *
         * @param challenge the server's challenge, untrusted
         * @return the proof
         */
        Mono<byte[]> prove(byte[] challenge);

        /**
         * Verifies the server's proof.
         *
         * @param proof the server's proof, untrusted
         * @return completes when the proof is right, fails otherwise
         */
        Mono<Void> verify(byte[] proof);
    }

    /** The server's steps, called in this order. */
    interface ServerSide {

        /**
         * Challenges the client.
         *
         * @param opening the client's opening, untrusted
         * @return the challenge
         */
        Mono<byte[]> challenge(byte[] opening);

        /**
         * Verifies the client's proof.
         *
         * @param proof the client's proof, untrusted
         * @return this side's own proof if the client's is right; an error, or nothing, otherwise
         */
        Mono<byte[]> verify(byte[] proof);
    }
}

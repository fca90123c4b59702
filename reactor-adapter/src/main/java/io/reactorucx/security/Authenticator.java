package io.reactorucx.security;

import reactor.core.publisher.Mono;

/**
 * How peers prove to each other who they are, before anything else is told or delivered. A client says which method it
 * uses and opens; the server answers with a challenge; the client sends its proof; the server answers with its own, and
 * the client checks that.
 *
 * <p>This is about who may connect. What travels afterwards is neither encrypted nor signed, and who sits between two
 * peers can pass all of this on between them: networks that are not trusted need more than that.
 *
 * <p><b>Threading:</b> the methods of both sides are called on
 * {@link reactor.core.scheduler.Schedulers#boundedElastic()}, one after the other for one connection, and may block; a
 * Mono may also end on any thread, any time. The time limit of the handshake covers all of it. <b>Ownership:</b> arrays
 * are handed over. <b>Errors:</b> one that is thrown or signalled refuses the peer, which is told that it is not
 * authenticated and no more; it is logged on this side.
 */
public interface Authenticator {

    /** Most bytes of an opening, a challenge or a proof. */
    int MAX_BYTES = 4096;

    /**
     * Both sides know a secret and prove it by HMAC-SHA-256 over random numbers of both. Neither side shows the secret,
     * but who listens or acts as a server can try guesses at home: use random bytes, not a word.
     *
     * @param secret at least 16 bytes; copied
     * @return an authenticator for clients and servers
     */
    static Authenticator sharedSecret(byte[] secret) {
        return new SharedSecret(secret);
    }

    /**
     * {@return the name of the method, 1 to 64 characters of ASCII; it travels in the clear, and both sides name the
     * same}
     */
    String method();

    /**
     * The client's side of a handshake.
     *
     * @param server what the server is called
     * @return a new object for each handshake
     */
    ClientSide clientSide(String server);

    /**
     * The server's side of a handshake.
     *
     * @param client what the client is called
     * @return a new object for each handshake
     */
    ServerSide serverSide(String client);

    /** What a client does, in this order. */
    interface ClientSide {

        /**
         * {@return what travels with the name of the method, at most {@link #MAX_BYTES}; not a proof, the server is
         * unknown still}
         */
        byte[] opening();

        /**
         * Answers the server's challenge.
         *
         * @param challenge what the server sent; not to be trusted
         * @return the proof
         */
        Mono<byte[]> prove(byte[] challenge);

        /**
         * Checks the server.
         *
         * @param proof what the server sent; not to be trusted
         * @return completes when that is right
         */
        Mono<Void> verify(byte[] proof);
    }

    /** What a server does, in this order. */
    interface ServerSide {

        /**
         * Challenges the client.
         *
         * @param opening what the client sent; not to be trusted
         * @return the challenge
         */
        Mono<byte[]> challenge(byte[] opening);

        /**
         * Checks the client.
         *
         * @param proof what the client sent; not to be trusted
         * @return this side's own proof if the client's is right; an error, or nothing, if not
         */
        Mono<byte[]> verify(byte[] proof);
    }
}

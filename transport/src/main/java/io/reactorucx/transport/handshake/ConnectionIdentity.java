package io.reactorucx.transport.handshake;

import io.reactorucx.security.PeerCertificates;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * The tokens and digests that identify the two sides of a connection to each other. Each side chooses a random token,
 * which the peer puts first into the header of each active message: the reply endpoint of a message is chosen by its
 * sender and proves nothing. And each side announces the digest of its worker's address, so that the address itself
 * stays secret until the handshake is done, and is part of what the handshake proves all the same.
 *
 * <p>Thread: the handshake's until it is done, then the engine's.
 */
public final class ConnectionIdentity {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MAX_TOKENS = 4096;
    /** The latest tokens of this process's sides of connections. No stranger can guess one. */
    private static final Set<Long> CLIENTS = latest();
    private static final Set<Long> SERVERS = latest();

    private final long ownToken = RANDOM.nextLong();
    private final byte[] ownAddressDigest;
    private final byte[] ownNetworkAddressDigest;
    /** Before the peer's token is known, the first frame carries the sender's. */
    private long peerToken = ownToken;
    private byte[] peerAddressDigest = new byte[0];
    private byte[] peerNetworkAddressDigest = new byte[0];
    private volatile PeerOrigin origin = PeerOrigin.UNKNOWN;
    private @Nullable InetAddress ownSource;
    private @Nullable InetAddress peerSource;
    private volatile @Nullable PeerCertificates peerCertificates;
    private boolean ofClient;
    private volatile @Nullable SecretKey exported;

    public ConnectionIdentity(byte[] ownAddress) {
        this(ownAddress, ownAddress);
    }

    /** As the other, with the address for peers that cannot use shared memory. */
    public ConnectionIdentity(byte[] ownAddress, byte[] ownNetworkAddress) {
        this.ownAddressDigest = HandshakeDigest.of(ownAddress);
        this.ownNetworkAddressDigest = HandshakeDigest.of(ownNetworkAddress);
    }

    /** Adds the token of this side. */
    ControlFields addToken(ControlFields fields) {
        return fields.with(Key.TOKEN, ownToken);
    }

    /** Adds what this side tells of its worker and the token. */
    ControlFields addTo(ControlFields fields) {
        ControlFields own = addToken(fields).with(Key.WORKER_ADDRESS_DIGEST, ownAddressDigest)
                .with(Key.NETWORK_ADDRESS_DIGEST, ownNetworkAddressDigest);
        InetAddress source = ownSource;
        return source == null ? own : own.with(Key.UCX_SOURCE, source.getAddress());
    }

    /** Sets from where UCX of this side connects to the peer, if not from its end of the control socket. */
    public void ownSource(@Nullable InetAddress address) {
        ownSource = address;
    }

    /**
     * Returns from where else than its end of the control socket UCX of the peer connects, as it says. It may be let
     * in: whoever is there could do the same handshake as the peer.
     */
    public @Nullable InetAddress peerSource() {
        return peerSource;
    }

    /** Takes the token of the peer, and returns whether there is one. */
    boolean learnToken(ControlFields ofPeer) {
        if (!ofPeer.has(Key.TOKEN)) {
            return false;
        }
        peerToken = ofPeer.buffer(Key.TOKEN).getLong();
        return true;
    }

    /** Takes the token of the peer and the digests of its worker's addresses, and returns whether they are there. */
    boolean learn(ControlFields ofPeer) {
        byte[] digest = ofPeer.bytes(Key.WORKER_ADDRESS_DIGEST);
        if (digest == null || !learnToken(ofPeer)) {
            return false;
        }
        peerAddressDigest = digest;
        byte[] ofNetwork = ofPeer.bytes(Key.NETWORK_ADDRESS_DIGEST);
        peerNetworkAddressDigest = ofNetwork == null ? digest : ofNetwork;
        peerSource = source(ofPeer.bytes(Key.UCX_SOURCE));
        return true;
    }

    private static @Nullable InetAddress source(byte @Nullable [] address) {
        try {
            return address == null ? null : InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            // The address is neither one of IPv4 nor of IPv6.
            return null;
        }
    }

    /** Returns the token that each message of the peer has to carry. */
    public long ownToken() {
        return ownToken;
    }

    /** Returns the token that each message to the peer carries. */
    public long peerToken() {
        return peerToken;
    }

    private static Set<Long> latest() {
        return Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
                return size() > MAX_TOKENS;
            }
        }));
    }

    /**
     * Lets the peer see that this side is of its process, if it is. A client's token is known to its server alone, and
     * a server's to its client alone, so that neither proves to be the other.
     */
    public void bindAs(boolean client) {
        (client ? CLIENTS : SERVERS).add(ownToken);
    }

    /** Returns whether the peer, a client or a server, is of this process. */
    public boolean isPeerOfThisProcess(boolean client) {
        return (client ? CLIENTS : SERVERS).contains(peerToken);
    }

    /** Returns whether a client that has sent its HELLO is of this process. */
    public static boolean isClientOfThisProcess(ControlFields hello) {
        return hello.has(Key.TOKEN) && CLIENTS.contains(hello.buffer(Key.TOKEN).getLong());
    }

    /** Returns who the peer is where limits are shared; a server knows it once it admits the client. */
    public PeerOrigin origin() {
        return origin;
    }

    /** Sets who the peer is where limits are shared. Thread: any. */
    public void origin(PeerOrigin peer) {
        origin = peer;
    }

    /** Returns the certificates by which TLS has authenticated the peer; null without TLS, or without a certificate. */
    public @Nullable PeerCertificates peerCertificates() {
        return peerCertificates;
    }

    /** Returns what both sides have exported from TLS, for the keys of their data; null without TLS. */
    public @Nullable SecretKey exported() {
        return exported;
    }

    /** Returns whether this is the identity of a client, if there is TLS. */
    public boolean isOfClient() {
        return ofClient;
    }

    /** TLS has authenticated the peer, a server or a client. */
    public void secured(@Nullable PeerCertificates certificates, SecretKey exportedByTls, boolean client) {
        peerCertificates = certificates;
        ofClient = client;
        exported = exportedByTls;
    }

    /** Returns whether the peer has announced this address of its worker in the handshake. */
    public boolean isAddressOfPeer(byte[] address) {
        byte[] digest = HandshakeDigest.of(address);
        return MessageDigest.isEqual(digest, peerAddressDigest)
                || MessageDigest.isEqual(digest, peerNetworkAddressDigest);
    }
}

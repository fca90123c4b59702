package io.reactorucx.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import org.junit.jupiter.api.Test;

/** A peer without a token, or without the digest of its worker's address, is not identified. */
class ConnectionIdentityTest {

    private static final byte[] OWN = {1, 2, 3};
    private static final byte[] PEER = {4, 5, 6, 7};

    private final ConnectionIdentity own = new ConnectionIdentity(OWN);
    private final ConnectionIdentity peer = new ConnectionIdentity(PEER);

    @Test
    void learnsTokenAndAddressOfPeer() {
        assertThat(own.learn(peer.addTo(ControlFields.NONE))).isTrue();
        assertThat(own.peerToken()).isEqualTo(peer.ownToken());
        assertThat(own.isAddressOfPeer(PEER)).isTrue();
        assertThat(own.isAddressOfPeer(OWN)).isFalse();
        assertThat(own.isAddressOfPeer(new byte[0])).isFalse();
    }

    @Test
    void learnsNothingFromFrameWithoutToken() {
        ControlFields digestAlone = ControlFields.NONE.with(Key.WORKER_ADDRESS_DIGEST, HandshakeDigest.of(PEER));
        assertThat(own.learnToken(digestAlone)).isFalse();
        assertThat(own.learn(digestAlone)).isFalse();
        assertThat(own.peerToken()).isEqualTo(own.ownToken());
        assertThat(own.isAddressOfPeer(PEER)).as("an address whose peer is not identified").isFalse();
    }

    @Test
    void learnsNoAddressFromFrameWithoutItsDigest() {
        ControlFields tokenAlone = peer.addToken(ControlFields.NONE);
        assertThat(own.learn(tokenAlone)).isFalse();
        assertThat(own.isAddressOfPeer(PEER)).isFalse();
        assertThat(own.learnToken(tokenAlone)).isTrue();
        assertThat(own.peerToken()).isEqualTo(peer.ownToken());
    }

    @Test
    void tokensOfTwoConnectionsDiffer() {
        assertThat(own.ownToken()).isNotEqualTo(peer.ownToken());
        assertThat(new ConnectionIdentity(OWN).ownToken()).isNotEqualTo(own.ownToken());
    }

    @Test
    void noAddressIsThePeersBeforeTheHandshake() {
        assertThat(own.isAddressOfPeer(OWN)).isFalse();
        assertThat(own.isAddressOfPeer(new byte[0])).isFalse();
    }
}

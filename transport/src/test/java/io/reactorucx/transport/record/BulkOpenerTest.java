package io.reactorucx.transport.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large messages in parts that are sealed and opened. */
class BulkOpenerTest {

    private static final int PART = BulkSealer.PART_BYTES;
    private static final RecordLimits SHORT = new RecordLimits(ReplayWindow.SIZE, 1L << 26);

    private static RecordSecret secret(RecordCipher cipher) {
        return RecordSecret.of(new SecretKeySpec(new byte[32], "HKDF"), "client bulk", cipher);
    }

    private static byte[] pattern(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** The encrypted parts of a message behind each other. */
    private static byte[][] seal(BulkSealer sealer, byte[] bytes) {
        byte[][] parts = new byte[(int) BulkSealer.parts(bytes.length)][];
        for (int i = 0; i < parts.length; i++) {
            int length = Math.min(PART, bytes.length - i * PART);
            parts[i] = new byte[length + BulkSealer.TAG_BYTES];
            sealer.seal(bytes, i * PART, length, parts[i], 0);
        }
        sealer.sent();
        return parts;
    }

    private static byte[] open(BulkOpener.Message message, int number, byte[] part) throws RecordException {
        byte[] bytes = new byte[part.length - BulkSealer.TAG_BYTES];
        message.open(number, part, 0, part.length, bytes, 0);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(RecordCipher.class)
    void comesBackAsItWasInAnyOrder(RecordCipher cipher) throws RecordException {
        BulkSealer sealer = new BulkSealer(secret(cipher), RecordLimits.DEFAULT);
        BulkOpener opener = new BulkOpener(secret(cipher));
        byte[] one = pattern(1, 3 * PART + 17);
        long firstOfOne = sealer.begin(one.length);
        byte[][] partsOfOne = seal(sealer, one);
        byte[] two = pattern(2, PART);
        long firstOfTwo = sealer.begin(two.length);
        byte[][] partsOfTwo = seal(sealer, two);
        assertThat(partsOfOne).hasNumberOfRows(4);
        assertThat(partsOfTwo).hasNumberOfRows(1);
        assertThat(firstOfTwo).isEqualTo(4);
        assertThat(open(opener.message(0, firstOfTwo), 0, partsOfTwo[0])).isEqualTo(two);
        for (int i : new int[] {3, 1, 0, 2}) {
            assertThat(open(opener.message(0, firstOfOne), i, partsOfOne[i]))
                    .isEqualTo(Arrays.copyOfRange(one, i * PART, Math.min(one.length, (i + 1) * PART)));
        }
    }

    @Test
    void eachBitCounts() throws RecordException {
        BulkSealer sealer = new BulkSealer(secret(RecordCipher.AES_128_GCM), RecordLimits.DEFAULT);
        BulkOpener.Message message = new BulkOpener(secret(RecordCipher.AES_128_GCM)).message(0, sealer.begin(24));
        byte[] part = seal(sealer, pattern(3, 24))[0];
        for (int bit = 0; bit < part.length * Byte.SIZE; bit++) {
            byte[] changed = part.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            byte[] bytes = new byte[24];
            assertThatThrownBy(() -> message.open(0, changed, 0, changed.length, bytes, 0))
                    .isInstanceOf(RecordException.class);
            assertThat(bytes).isEqualTo(new byte[24]);
        }
        assertThat(open(message, 0, part)).isEqualTo(pattern(3, 24));
    }

    /** Two parts of a message are swapped, or a message is taken for another. */
    @Test
    void eachPartHasItsPlace() throws RecordException {
        BulkSealer sealer = new BulkSealer(secret(RecordCipher.AES_128_GCM), RecordLimits.DEFAULT);
        BulkOpener opener = new BulkOpener(secret(RecordCipher.AES_128_GCM));
        long first = sealer.begin(2L * PART);
        byte[][] parts = seal(sealer, pattern(4, 2 * PART));
        assertThatThrownBy(() -> open(opener.message(0, first), 1, parts[0])).isInstanceOf(RecordException.class);
        assertThatThrownBy(() -> open(opener.message(0, first + 1), 0, parts[0]))
                .isInstanceOf(RecordException.class);
        assertThatThrownBy(() -> open(opener.message(1, first), 0, parts[0])).isInstanceOf(RecordException.class);
        assertThatThrownBy(() -> new BulkOpener(secret(RecordCipher.AES_128_GCM)).message(0, -1))
                .isInstanceOf(RecordException.class);
    }

    @Test
    void keysChangeBetweenMessages() throws RecordException {
        BulkSealer sealer = new BulkSealer(secret(RecordCipher.AES_128_GCM), SHORT);
        BulkOpener opener = new BulkOpener(secret(RecordCipher.AES_128_GCM));
        byte[] small = pattern(5, 100);
        for (int i = 0; i < 3 * ReplayWindow.SIZE; i++) {
            long first = sealer.begin(small.length);
            assertThat(first).isEqualTo(i);
            assertThat(sealer.phase()).isEqualTo(i / ReplayWindow.SIZE);
            assertThat(open(opener.message(sealer.phase(), first), 0, seal(sealer, small)[0])).isEqualTo(small);
        }
        // As many bytes as a key seals at most: the next message has the next key.
        sealer.begin(1L << 26);
        sealer.sent();
        assertThat(sealer.phase()).isEqualTo(3);
        sealer.begin(1);
        assertThat(sealer.phase()).isEqualTo(4);
    }

    @Test
    void olderKeysAreGone() throws RecordException {
        BulkOpener opener = new BulkOpener(secret(RecordCipher.AES_128_GCM));
        opener.message(2, 0);
        opener.message(1, 0);
        assertThatThrownBy(() -> opener.message(0, 0)).isInstanceOf(RecordException.class);
        assertThatThrownBy(() -> opener.message(100, 0)).isInstanceOf(RecordException.class);
    }

    /** Refused again and again, a message changes the key once. */
    @Test
    void refusedMessagesChangeTheKeyOnce() {
        BulkSealer sealer = new BulkSealer(secret(RecordCipher.AES_128_GCM), SHORT);
        sealer.begin(1L << 26);
        sealer.sent();
        for (int i = 0; i < 100; i++) {
            sealer.begin(40L << 20);
            assertThat(sealer.phase()).isEqualTo(1);
        }
        sealer.sent();
        sealer.begin(40L << 20);
        assertThat(sealer.phase()).isEqualTo(2);
    }
}

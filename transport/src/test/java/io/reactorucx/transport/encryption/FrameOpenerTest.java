package io.reactorucx.transport.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.security.EncryptionCipher;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.record.RecordException;
import io.reactorucx.transport.record.RecordLimits;
import io.reactorucx.transport.record.RecordSealer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames that are sealed and opened, also ones that are none. */
class FrameOpenerTest {

    private static final RecordLimits SHORT = new RecordLimits(1024, 1L << 26);

    private final ConnectionIdentity identity = new ConnectionIdentity(new byte[] {1});
    private final ConnectionKeys keys = keys(true);
    private final byte[] opened = new byte[RecordSealer.MAX_BYTES];

    /** The keys of a side; both tokens are this one's, since no peer has told another. */
    private ConnectionKeys keys(boolean client) {
        identity.secured(null, new SecretKeySpec(new byte[32], "HKDF"), client);
        return new ConnectionKeys(identity, EncryptionCipher.AES_128_GCM);
    }

    private FrameOpener opener() {
        return new FrameOpener(keys(false));
    }

    private FrameSealer sealer(RecordFrame.Kind kind, RecordLimits limits) {
        return new FrameSealer(kind, keys.toSeal(kind), limits);
    }

    private static byte[] seal(FrameSealer sealer, byte[] plain) {
        byte[] frame = new byte[RecordFrame.MOST_BEFORE_RECORD + plain.length + RecordSealer.OVERHEAD_BYTES];
        int size = seal(sealer, plain, frame);
        sealer.sent();
        return Arrays.copyOf(frame, size);
    }

    private static int seal(FrameSealer sealer, byte[] plain, byte[] frame) {
        return sealer.seal(7, plain, plain.length, frame);
    }

    private byte[] open(FrameOpener opener, byte[] frame) throws RecordException {
        return Arrays.copyOf(opened, opener.open(frame, 0, frame.length, opened));
    }

    @ParameterizedTest
    @EnumSource(RecordFrame.Kind.class)
    void comesBackAsItWas(RecordFrame.Kind kind) throws RecordException {
        FrameSealer sealer = sealer(kind, SHORT);
        FrameOpener opener = opener();
        for (int size : new int[] {0, 1, 100, RecordSealer.MAX_BYTES - 30}) {
            byte[] plain = new byte[size];
            new Random(size).nextBytes(plain);
            byte[] frame = seal(sealer, plain);
            assertThat(open(opener, frame)).isEqualTo(plain);
            assertThat(opener.kind()).isEqualTo(kind);
            assertThat(opener.end()).isEqualTo(frame.length);
        }
    }

    /** Many more records are refused than a key may seal: the peer still follows. */
    @Test
    void refusedFramesChangeNoKeys() throws RecordException {
        FrameSealer sealer = sealer(RecordFrame.Kind.MESSAGE, SHORT);
        FrameOpener opener = opener();
        byte[] frame = new byte[100];
        for (int sent = 0; sent < 2000; sent++) {
            int size = seal(sealer, new byte[] {1, 2}, frame);
            for (int refused = 0; sent % 100 == 1 && refused < 5000; refused++) {
                size = seal(sealer, new byte[] {1, 2}, frame);
            }
            sealer.sent();
            assertThat(opener.open(frame, 0, size, opened)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 10, 13, 32, 33, 65_600, 131_000})
    void strangeBytesAreNoFrame(int size) {
        for (long seed = 0; seed < 200; seed++) {
            byte[] bytes = new byte[size];
            new Random(seed).nextBytes(bytes);
            assertThatThrownBy(() -> opener().open(bytes, 0, bytes.length, opened)).isInstanceOf(
                    RecordException.class);
        }
    }

    /** A frame that is missing is looked for when a heartbeat comes. */
    @Test
    void missingFrameIsFoundInTime() throws RecordException {
        FrameSealer sealer = sealer(RecordFrame.Kind.MESSAGE, SHORT);
        FrameOpener opener = opener();
        byte[][] frames = new byte[4][];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = seal(sealer, new byte[] {(byte) i});
        }
        long second = Duration.ofSeconds(1).toNanos();
        open(opener, frames[1]);
        opener.requireAll(0);
        opener.requireAll(2 * second);
        open(opener, frames[0]);
        opener.requireAll(4 * second);
        open(opener, frames[3]);
        opener.requireAll(5 * second);
        opener.requireAll(7 * second);
        assertThatThrownBy(() -> opener.requireAll(9 * second)).isInstanceOf(RecordException.class)
                .hasMessage("record 2 was left out");
    }
}

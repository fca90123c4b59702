package io.reactorucx.transport.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that are sealed and opened, and what somebody between the two does to them. */
class RecordOpenerTest {

    private static final byte[] CONTEXT = {7, 0, 1};
    private static final byte[] OTHER_CONTEXT = {7, 0, 2};
    private static final RecordLimits SHORT = new RecordLimits(ReplayWindow.SIZE, 1L << 26);

    private static RecordSecret secret(RecordCipher cipher) {
        return RecordSecret.of(new SecretKeySpec(new byte[32], "HKDF"), "client small", cipher);
    }

    private static RecordSealer sealer() {
        return new RecordSealer(secret(RecordCipher.AES_128_GCM), SHORT);
    }

    private static RecordOpener opener() {
        return new RecordOpener(secret(RecordCipher.AES_128_GCM));
    }

    private static byte[] pattern(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] seal(RecordSealer sealer, byte[] bytes) {
        byte[] record = new byte[bytes.length + RecordSealer.OVERHEAD_BYTES];
        assertThat(sealer.seal(CONTEXT, bytes, 0, bytes.length, record, 0)).isEqualTo(record.length);
        return record;
    }

    private static byte[] open(RecordOpener opener, byte[] record) throws RecordException {
        byte[] bytes = new byte[Math.max(0, record.length - RecordSealer.OVERHEAD_BYTES)];
        assertThat(opener.open(CONTEXT, record, 0, record.length, bytes, 0)).isEqualTo(bytes.length);
        return bytes;
    }

    private static List<byte[]> sealed(RecordSealer sealer, int count) {
        List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(seal(sealer, pattern(i, 8)));
        }
        return records;
    }

    private static void assertWrong(RecordOpener opener, byte[] record) {
        byte[] bytes = new byte[record.length];
        assertThatThrownBy(() -> opener.open(CONTEXT, record, 0, record.length, bytes, 0))
                .isInstanceOf(RecordException.class);
        assertThat(bytes).as("what was delivered").isEqualTo(new byte[record.length]);
    }

    @ParameterizedTest
    @EnumSource(RecordCipher.class)
    void comesBackAsItWas(RecordCipher cipher) throws RecordException {
        RecordSealer sealer = new RecordSealer(secret(cipher), RecordLimits.DEFAULT);
        RecordOpener opener = new RecordOpener(secret(cipher));
        for (int length : new int[] {0, 1, 8, 4000, RecordSealer.MAX_BYTES}) {
            byte[] bytes = pattern(length, length);
            byte[] record = seal(sealer, bytes);

            if (length > 8) {
                assertThat(Collections.indexOfSubList(boxed(record), boxed(Arrays.copyOf(bytes, 8)))).isEqualTo(-1);
            }
            assertThat(open(opener, record)).isEqualTo(bytes);
        }
        assertThat(opener.next()).isEqualTo(5);
    }

    private static List<Byte> boxed(byte[] bytes) {
        List<Byte> all = new ArrayList<>();
        for (byte each : bytes) {
            all.add(each);
        }
        return all;
    }

    @Test
    void liesWithinLargerArrays() throws RecordException {
        byte[] from = pattern(1, 100);
        byte[] record = new byte[200];
        byte[] to = new byte[100];

        int bytes = sealer().seal(CONTEXT, from, 10, 20, record, 30);
        assertThat(opener().open(CONTEXT, record, 30, bytes, to, 40)).isEqualTo(20);

        assertThat(Arrays.copyOfRange(to, 40, 60)).isEqualTo(Arrays.copyOfRange(from, 10, 30));
        assertThat(Arrays.copyOf(to, 40)).containsOnly(0);
        assertThat(Arrays.copyOfRange(to, 60, 100)).containsOnly(0);
        assertThat(Arrays.copyOf(record, 30)).containsOnly(0);
    }

    /** Head, nonce and what the tag covers, made here once more. */
    @Test
    void isWhatTheDocumentationSays() throws Exception {
        RecordSecret secret = secret(RecordCipher.AES_128_GCM);
        RecordSealer sealer = sealer();
        seal(sealer, new byte[3]);
        byte[] record = seal(sealer, new byte[] {1, 2, 3});

        assertThat(Arrays.copyOf(record, 8)).containsExactly(0, 0, 0, 0, 0, 0, 0, 1);
        byte[] nonce = secret.nonce(0);
        nonce[11] ^= 1;
        assertThat(secret.nonce(1)).isEqualTo(nonce);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, secret.key(), new GCMParameterSpec(128, nonce));
        cipher.updateAAD(new byte[] {0, 0, 0, 0, 0, 0, 0, 1, 7, 0, 1});
        assertThat(cipher.doFinal(record, 8, record.length - 8)).containsExactly(1, 2, 3);
        assertThat(secret.key().getEncoded()).hasSize(16);
    }

    @Test
    void eachBitCounts() {
        byte[] record = seal(sealer(), pattern(3, 8));
        for (int bit = 0; bit < record.length * Byte.SIZE; bit++) {
            byte[] changed = record.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertWrong(opener(), changed);
        }
    }

    @Test
    void contextAndSecretCount() {
        byte[] record = seal(sealer(), pattern(3, 8));
        byte[] bytes = new byte[8];
        List<Function<SecretKeySpec, RecordSecret>> others = List.of(
                key -> RecordSecret.of(key, "server small", RecordCipher.AES_128_GCM),
                key -> RecordSecret.of(key, "client small", RecordCipher.AES_256_GCM),
                key -> RecordSecret.of(new SecretKeySpec(pattern(1, 32), "HKDF"), "client small",
                        RecordCipher.AES_128_GCM));

        assertThatThrownBy(() -> opener().open(OTHER_CONTEXT, record, 0, record.length, bytes, 0))
                .isInstanceOf(RecordException.class);
        others.forEach(other -> assertWrong(new RecordOpener(other.apply(new SecretKeySpec(new byte[32], "HKDF"))),
                record));
    }

    @Test
    void oneThatIsWrongEndsTheOpener() {
        RecordSealer sealer = sealer();
        List<byte[]> records = sealed(sealer, 2);
        RecordOpener opener = opener();
        byte[] changed = records.getFirst().clone();
        changed[10] ^= 1;

        assertWrong(opener, changed);
        assertWrong(opener, records.getFirst());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 23})
    void tooShortIsNone(int length) {
        assertWrong(opener(), new byte[length]);
    }

    @Test
    void cutOrExtendedIsWrong() {
        byte[] record = seal(sealer(), pattern(3, 40));
        for (int length = 0; length < record.length; length++) {
            assertWrong(opener(), Arrays.copyOf(record, length));
        }
        assertWrong(opener(), Arrays.copyOf(record, record.length + 1));
    }

    /** Any order within the window, each once. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void windowTakesEachOnceInAnyOrder(long seed) throws RecordException {
        List<byte[]> records = sealed(sealer(), ReplayWindow.SIZE);
        Collections.shuffle(records, new Random(seed));
        RecordOpener opener = opener();
        for (byte[] record : records) {
            open(opener, record);
        }
        assertThat(opener.next()).isEqualTo(ReplayWindow.SIZE);
        assertWrong(opener, records.get((int) seed));
    }

    @Test
    void olderThanTheWindowIsRefused() throws RecordException {
        List<byte[]> records = sealed(sealer(), ReplayWindow.SIZE + 1);
        RecordOpener oldest = opener();
        open(oldest, records.get(ReplayWindow.SIZE - 1));
        open(oldest, records.get(0));
        assertWrong(oldest, records.get(0));
    }

    /** Where records overtake each other, one that is left out shows when it could not come any more. */
    @Test
    void windowFindsWhatWasLeftOut() throws RecordException {
        List<byte[]> records = sealed(sealer(), ReplayWindow.SIZE + 2);
        RecordOpener opener = opener();
        for (int i = 0; i < ReplayWindow.SIZE + 1; i++) {
            if (i != 1) {
                open(opener, records.get(i));
            }
        }
        assertWrongButDecrypted(opener, records.get(ReplayWindow.SIZE + 1));
        RecordOpener jump = opener();
        assertWrongButDecrypted(jump, records.get(ReplayWindow.SIZE));
    }

    private static void assertWrongButDecrypted(RecordOpener opener, byte[] record) {
        assertThatThrownBy(() -> open(opener, record)).isInstanceOf(RecordException.class)
                .hasMessageContaining("was left out");
        assertWrong(opener, record);
    }

    /** Records that were sealed and could not be sent; the context proves how many. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, ReplayWindow.SIZE - 1, ReplayWindow.SIZE, 5 * ReplayWindow.SIZE + 3})
    void whatCouldNotBeSentIsNotLeftOut(int skipped) throws RecordException {
        RecordSealer sealer = new RecordSealer(secret(RecordCipher.AES_128_GCM), RecordLimits.DEFAULT);
        List<byte[]> before = sealed(sealer, 10);
        sealed(sealer, skipped);
        List<byte[]> after = sealed(sealer, 2 * ReplayWindow.SIZE);
        RecordOpener opener = opener();
        for (byte[] record : before) {
            open(opener, record);
        }
        byte[] bytes = new byte[8];
        byte[] first = after.getFirst();
        assertThat(opener.open(CONTEXT, skipped, first, 0, first.length, bytes, 0)).isEqualTo(8);
        for (byte[] record : after.subList(1, after.size())) {
            open(opener, record);
        }
        assertWrong(opener, after.get(ReplayWindow.SIZE));
    }

    /** A jump of more than the window leaves no number behind as one that has come. */
    @Test
    void jumpForgetsWhatTookTheSamePlaces() throws RecordException {
        RecordSealer sealer = sealer();
        List<byte[]> records = sealed(sealer, 3 * ReplayWindow.SIZE);
        RecordOpener opener = opener();
        for (int i = 0; i < 200; i++) {
            open(opener, records.get(i));
        }
        open(opener, records.get(ReplayWindow.SIZE + 150));
        for (int i = ReplayWindow.SIZE; i < ReplayWindow.SIZE + 150; i++) {
            open(opener, records.get(i));
        }
        assertWrong(opener, records.get(ReplayWindow.SIZE));
    }

    @Test
    void keysFollowEachOther() throws RecordException {
        RecordSealer sealer = sealer();
        RecordOpener opener = opener();
        byte[] last = new byte[0];
        for (int i = 0; i < 3 * ReplayWindow.SIZE + 5; i++) {
            byte[] record = seal(sealer, pattern(i, 8));
            assertThat(record[0] < 0).as("phase of record %d", i).isEqualTo(i / ReplayWindow.SIZE % 2 == 1);
            // Each pair is swapped.
            if (i % 2 == 0) {
                last = record;
            } else {
                assertThat(open(opener, record)).isEqualTo(pattern(i, 8));
                assertThat(open(opener, last)).isEqualTo(pattern(i - 1, 8));
            }
        }
    }

    /** The change of keys comes late, or what was before it does. */
    @Test
    void recordsOvertakeAChangeOfKeys() throws RecordException {
        List<byte[]> records = sealed(sealer(), 2 * ReplayWindow.SIZE);
        RecordOpener opener = opener();
        for (int i = 0; i < ReplayWindow.SIZE - 10; i++) {
            open(opener, records.get(i));
        }
        for (int i = ReplayWindow.SIZE + 20; i > ReplayWindow.SIZE - 11; i--) {
            assertThat(open(opener, records.get(i))).isEqualTo(pattern(i, 8));
        }
        for (int i = ReplayWindow.SIZE + 21; i < 2 * ReplayWindow.SIZE; i++) {
            open(opener, records.get(i));
        }
        assertThat(opener.next()).isEqualTo(2 * ReplayWindow.SIZE);
    }

    /** As many records of the largest size as a key may seal, and one of a byte more. */
    @Test
    void bytesChangeTheKeyAsWell() {
        RecordSealer sealer = new RecordSealer(secret(RecordCipher.AES_128_GCM), new RecordLimits(1 << 20, 1L << 26));
        byte[] large = new byte[RecordSealer.MAX_BYTES];
        for (int i = 0; i < ReplayWindow.SIZE; i++) {
            assertThat(seal(sealer, large)[0]).isZero();
        }
        assertThat(seal(sealer, new byte[1])[0]).isNegative();
        assertThat(seal(sealer, large)[0]).isNegative();
    }

    @Test
    void numberIsCheckedBeforeKeysAreMade() {
        byte[] far = seal(sealer(), new byte[8]);
        RecordHead.put(far, 0, true, RecordHead.MAX_NUMBER);
        assertWrong(opener(), far);
    }

    @Test
    void badPlacesAreNamed() throws RecordException {
        RecordOpener opener = opener();
        byte[] record = seal(sealer(), pattern(1, 8));

        assertThatThrownBy(() -> opener.open(CONTEXT, record, 0, record.length, new byte[7], 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> opener.open(CONTEXT, record, 0, record.length, new byte[8], 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> opener.open(CONTEXT, record, 1, record.length, new byte[8], 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(open(opener, record)).as("nothing is lost").isEqualTo(pattern(1, 8));
        assertThatThrownBy(() -> sealer().seal(CONTEXT, new byte[8], 0, 8, new byte[31], 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> sealer().seal(CONTEXT, new byte[1 << 17], 0, (1 << 16) + 1, new byte[1 << 18], 0))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("length 65537");
        assertThatThrownBy(() -> new RecordLimits(1023, 1L << 30)).hasMessageContaining("records 1023");
        assertThatThrownBy(() -> new RecordLimits((1L << 23) + 1, 1L << 30)).hasMessageContaining("records");
        assertThatThrownBy(() -> new RecordLimits(1024, (1L << 26) - 1)).hasMessageContaining("bytes");
        assertThatThrownBy(() -> new RecordLimits(1024, (1L << 37) + 1)).hasMessageContaining("bytes");
    }

    /** Whatever comes is a record or an error of this one kind. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void anyBytesAreRefused(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            if (bytes.length >= 8 && random.nextBoolean()) {
                RecordHead.put(bytes, 0, random.nextBoolean(), random.nextInt(3));
            }
            assertWrong(opener(), bytes);
        }
    }
}

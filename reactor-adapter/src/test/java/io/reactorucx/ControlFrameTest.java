package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.transport.config.PeerLimits;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.Rejection;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever bytes a peer sends are a frame or none: the parser throws nothing, and invents nothing. */
class ControlFrameTest {

    private static final long SEED = 20_240_607;
    private static final int INPUTS = 100_000;
    private static final int HEAD_BYTES = 6;
    private static final int REJECT_HEAD_BYTES = 29;
    private static final PeerInfo FACTS = new PeerInfo(new UcxVersion(1, 18, 3), ErrorMode.NONE, ByteOrder.BIG_ENDIAN,
            new PeerLimits(8000, 1L << 40, 77, 1 << 30), 2500, -1234567890123L,
            new ProcessIdentity(4026531836L, 4711), true);

    private static ControlFrame parse(byte[] bytes) {
        return ControlFrame.parse(MemorySegment.ofArray(bytes));
    }

    private static byte[] bytes(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    private static ControlFrame frame(ControlFrame.Type type, Random random) {
        return type == ControlFrame.Type.REJECT ? new Rejection("because " + random.nextInt()).toFrame()
                : ControlFrame.of(type, FACTS.addTo(ControlFields.NONE)
                .with(Key.AUTHENTICATION, bytes(random, random.nextInt(40))));
    }

    private static void assertSame(ControlFrame frame, ControlFrame other) {
        assertThat(other).isNotNull();
        assertThat(frame.type()).isEqualTo(other.type());
        assertThat(frame.protocolVersion()).isEqualTo(other.protocolVersion());
        assertThat(frame.reason()).isEqualTo(other.reason());
        for (Key key : Key.values()) {
            assertThat(frame.fields().bytes(key)).as(key.name()).isEqualTo(other.fields().bytes(key));
        }
    }

    /** A frame that was understood says nothing that is not in these bytes, and is the same when it is sent on. */
    private static void assertUnderstood(ControlFrame frame, byte[] bytes) {
        assertThat(frame.protocolVersion()).isEqualTo(Byte.toUnsignedInt(bytes[4]));
        assertThat(frame.type().ordinal()).isEqualTo(bytes[5]);
        assertSame(frame, parse(frame.toBytes()));
        int size = frame.fields().encodedBytes();
        assertThat(size).isLessThanOrEqualTo(bytes.length - HEAD_BYTES);
        if (frame.type() != ControlFrame.Type.REJECT && HEAD_BYTES + size == bytes.length) {
            byte[] again = frame.toBytes();
            byte[] sorted = bytes.clone();
            Arrays.sort(again);
            Arrays.sort(sorted);
            assertThat(again).isEqualTo(sorted);
        }
        if (frame.protocolVersion() != ControlFrame.PROTOCOL_VERSION) {
            assertThat(frame.fields().isEmpty()).isTrue();
            assertThat(frame.type()).isIn(ControlFrame.Type.HELLO, ControlFrame.Type.REJECT);
        }
        assertThat(frame.reason()).doesNotContain("\n", "\r", "\u001b");
    }

    @ParameterizedTest
    @EnumSource(ControlFrame.Type.class)
    void frameSurvivesTheJourney(ControlFrame.Type type) {
        Random random = new Random(type.ordinal());
        for (int i = 0; i < 100; i++) {
            ControlFrame frame = frame(type, random);
            ControlFrame arrived = parse(frame.toBytes());
            assertSame(frame, arrived);
            if (type != ControlFrame.Type.REJECT) {
                assertThat(PeerInfo.of(arrived.fields())).isEqualTo(FACTS);
            }
        }
        ControlFrame empty = parse(ControlFrame.of(type).toBytes());
        assertThat(empty).isNotNull();
        assertThat(empty.type()).isEqualTo(type);
        assertThat(PeerInfo.of(empty.fields())).isNull();
    }

    /** How bytes are made that a careless parser would fall over. */
    enum Garbage {
        /** Any bytes, of any size up to twice a frame's. */
        RANDOM {
            @Override
            byte[] next(Random random) {
                return bytes(random, random.nextInt(200));
            }
        },
        /** The rest of it random, behind the magic number and version of a frame. */
        RANDOM_BEHIND_THE_MAGIC {
            @Override
            byte[] next(Random random) {
                byte[] bytes = bytes(random, 4 + random.nextInt(200));
                byte[] head = ControlFrame.of(ControlFrame.Type.HELLO).toBytes();
                ByteBuffer.wrap(bytes).put(head, 0, Math.min(bytes.length, 4 + random.nextInt(3)));
                return bytes;
            }
        },
        /** Fields of any keys and small sizes, behind the head of a frame. */
        RANDOM_FIELDS {
            @Override
            byte[] next(Random random) {
                ByteBuffer bytes = ByteBuffer.allocate(4096).put(ControlFrame.of(ControlFrame.Type.WELCOME).toBytes());
                for (int fields = random.nextInt(6); fields > 0; fields--) {
                    int size = random.nextInt(12);
                    bytes.put((byte) random.nextInt(20)).putShort((short) size).put(bytes(random, size));
                }
                return Arrays.copyOf(bytes.array(), bytes.position());
            }
        },
        /** A frame with some bits flipped. */
        FLIPPED {
            @Override
            byte[] next(Random random) {
                byte[] bytes = anyFrame(random);
                for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                }
                return bytes;
            }
        },
        /** A frame that is too short or too long. */
        CUT_OR_STRETCHED {
            @Override
            byte[] next(Random random) {
                byte[] bytes = anyFrame(random);
                return Arrays.copyOf(bytes, random.nextInt(2 * bytes.length));
            }
        },
        /** A frame of which some field claims to be of any size. */
        LYING_ABOUT_ITS_SIZE {
            @Override
            byte[] next(Random random) {
                byte[] bytes = anyFrame(random);
                boolean reject = bytes[5] == ControlFrame.Type.REJECT.ordinal();
                ByteBuffer.wrap(bytes).putShort(reject ? REJECT_HEAD_BYTES - Short.BYTES : HEAD_BYTES + 1,
                        (short) random.nextInt());
                return bytes;
            }
        };

        abstract byte[] next(Random random);

        static byte[] anyFrame(Random random) {
            ControlFrame.Type[] types = ControlFrame.Type.values();
            return frame(types[random.nextInt(types.length)], random).toBytes();
        }
    }

    @ParameterizedTest
    @EnumSource(Garbage.class)
    void anyBytesAreAFrameOrNone(Garbage garbage) {
        Random random = new Random(SEED + garbage.ordinal());
        List<ControlFrame> understood = new ArrayList<>();
        for (int i = 0; i < INPUTS; i++) {
            byte[] bytes = garbage.next(random);
            byte[] untouched = bytes.clone();
            try {
                ControlFrame frame = parse(bytes);
                if (frame != null) {
                    understood.add(frame);
                    assertUnderstood(frame, bytes);
                    // Neither throws, whatever the fields hold.
                    PeerInfo.of(frame.fields());
                    frame.fields().text(Key.AUTHENTICATION_METHOD);
                }
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("input " + i + " of " + garbage + ": " + Arrays.toString(bytes), e);
            }
            assertThat(bytes).isEqualTo(untouched);
        }
        // Flips beyond the head leave a frame a frame, as does a cut between two fields: both outcomes have to be among
        // them.
        if (garbage == Garbage.FLIPPED || garbage == Garbage.CUT_OR_STRETCHED || garbage == Garbage.RANDOM_FIELDS) {
            assertThat(understood).hasSizeBetween(100, INPUTS - 100);
        }
    }

    private static byte[] hello(byte[]... fields) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * ControlFrame.MAX_BYTES)
                .put(ControlFrame.of(ControlFrame.Type.HELLO).toBytes());
        for (byte[] field : fields) {
            bytes.put(field);
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static byte[] field(int key, int size) {
        return ByteBuffer.allocate(3 + size).put((byte) key).putShort((short) size).array();
    }

    @Test
    void fieldsOfALaterVersionAreSkipped() {
        byte[] bytes = hello(field(200, 0), field(Key.WORKER_ID.number(), 8), field(255, 300), field(0, 1));
        ControlFrame frame = parse(bytes);

        assertThat(frame).isNotNull();
        assertThat(frame.fields().has(Key.WORKER_ID)).isTrue();
        assertThat(frame.toBytes()).as("so that a digest covers them too").isEqualTo(bytes);
        assertThat(frame.fields().isOnly(Key.WORKER_ID)).isFalse();
        assertThat(frame.fields().without(Key.WORKER_ID).encodedBytes()).isEqualTo(bytes.length - HEAD_BYTES - 11);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 200})
    void fieldThatStandsThereTwiceIsRefused(int key) {
        assertThat(parse(hello(field(key, 8)))).isNotNull();
        assertThat(parse(hello(field(key, 8), field(key, 8)))).isNull();
    }

    @ParameterizedTest
    @EnumSource(Key.class)
    void fieldOfAnotherSizeThanItHasIsRefused(Key key) {
        assertThat(parse(hello(field(key.number(), key.maxBytes())))).isNotNull();
        assertThat(parse(hello(field(key.number(), key.maxBytes() + 1)))).isNull();
        assertThat(parse(hello(field(key.number(), 0))) != null).isEqualTo(key.allows(0));
        assertThatThrownBy(() -> ControlFields.NONE.with(key, new byte[key.maxBytes() + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key.name());
    }

    @Test
    void frameLargerThanAnyIsRefused() {
        int rest = ControlFrame.MAX_BYTES - HEAD_BYTES - 3;
        assertThat(parse(hello(field(200, rest)))).isNotNull();
        assertThat(parse(hello(field(200, rest - 3), field(201, 1)))).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, ControlFrame.MAX_BYTES, 1, 3})
    void reasonOfAnotherSizeThanItSaysIsRefused(int size) {
        byte[] bytes = new Rejection("no").toFrame().toBytes();
        assertThat(ByteBuffer.wrap(bytes).getInt(REJECT_HEAD_BYTES - Integer.BYTES)).isEqualTo(2);
        ByteBuffer.wrap(bytes).putInt(REJECT_HEAD_BYTES - Integer.BYTES, size);
        assertThat(parse(bytes)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 127, 128, 255})
    void ofAnotherVersionHelloAndRejectAreReadAsFarAsTheyMay(int version) {
        byte[] hello = hello(new byte[] {1, 2, 3, 4, 5, 6, 7});
        hello[4] = (byte) version;
        byte[] reject = new Rejection("too new").toFrame().toBytes();
        reject[4] = (byte) version;

        assertSame(parse(hello), new ControlFrame(version, ControlFrame.Type.HELLO, ControlFields.NONE,
                UcxStatus.REJECTED, ""));
        assertSame(parse(reject), new ControlFrame(version, ControlFrame.Type.REJECT, ControlFields.NONE,
                UcxStatus.REJECTED, "too new"));
        for (ControlFrame.Type type : ControlFrame.Type.values()) {
            byte[] other = ControlFrame.of(type).toBytes();
            other[4] = (byte) version;
            boolean read = type == ControlFrame.Type.HELLO || type == ControlFrame.Type.REJECT;
            assertThat(parse(other) != null).as(type.name()).isEqualTo(read);
        }
    }

    /**
     * Byte by byte what version 1 sent, and what it reads of a REJECT: it takes the reason from behind its own fixed
     * fields.
     */
    @Test
    void versionOneIsUnderstoodAndUnderstands() {
        byte[] rest = "protocol version 2 there, 1 here".getBytes(StandardCharsets.UTF_8);
        ByteBuffer old = ByteBuffer.allocate(REJECT_HEAD_BYTES + rest.length).putInt(0x52554358).put((byte) 1)
                .put((byte) 2).put((byte) 1)
                .putShort((short) 1).putShort((short) 13).putShort((short) 1).putInt(8000).putLong(-77)
                .putInt(rest.length).put(rest);
        ControlFrame read = parse(old.array());
        assertThat(read).isNotNull();
        assertThat(read.protocolVersion()).isEqualTo(1);
        assertThat(read.reason()).isEqualTo("protocol version 2 there, 1 here");

        ByteBuffer ours = ByteBuffer.wrap(new Rejection("no").toFrame().toBytes());
        assertThat(ours.getInt()).isEqualTo(0x52554358);
        assertThat(ours.position(5).get()).isEqualTo((byte) 2);
        assertThat(ours.get()).as("error mode").isBetween((byte) 0, (byte) 1);
        assertThat(ours.position(25).getInt()).isEqualTo(ours.remaining()).isEqualTo(2);
    }

    @Test
    void typesThatNobodyKnowsAreRefused() {
        for (int value = Byte.MIN_VALUE; value <= Byte.MAX_VALUE; value++) {
            byte[] type = ControlFrame.of(ControlFrame.Type.FIN).toBytes();
            type[5] = (byte) value;
            boolean known = value >= 0 && value < ControlFrame.Type.values().length
                    && value != ControlFrame.Type.REJECT.ordinal();
            assertThat(parse(type) != null).as("type " + value).isEqualTo(known);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Key.class, mode = EnumSource.Mode.MATCH_ANY,
            names = "ERROR_MODE|BYTE_ORDER|MAX_.*|HEARTBEAT_MILLIS")
    void factsThatCannotBeAreNone(Key key) {
        ControlFields good = FACTS.addTo(ControlFields.NONE);
        assertThat(PeerInfo.of(good)).isEqualTo(FACTS);
        assertThat(PeerInfo.of(good.with(key, -1))).isNull();
    }

    @ParameterizedTest
    @EnumSource(UcxStatus.class)
    void ofARejectionOnlyWhetherToTryAgainIsBelieved(UcxStatus status) {
        ControlFrame frame = parse(new Rejection(status, "full").toFrame().toBytes());
        assertThat(frame.status()).isEqualTo(status.isRetryable() ? status : UcxStatus.REJECTED);
        assertThat(frame.reason()).isEqualTo("full");
        assertThat(new Rejection(frame.status(), frame.reason()).toException("them", null).isRetryable())
                .isEqualTo(status.isRetryable());
    }

    @Test
    void reasonStaysInOneLineOfBoundedLength() {
        String shown = parse(new Rejection("a\nb\u001b[31m\u2028c" + "x".repeat(5000)).toFrame().toBytes())
                .reason();
        assertThat(shown).startsWith("a?b?[31m?cxx").hasSize(500);
    }

    @Test
    void whatAFrameCarriesIsNotShown() {
        ControlFields fields = ControlFields.NONE.with(Key.AUTHENTICATION, "the proof");
        assertThat(ControlFrame.of(ControlFrame.Type.PROOF, fields).toString()).contains("AUTHENTICATION")
                .doesNotContain("the proof");
    }
}

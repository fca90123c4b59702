package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxVersion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
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
    private static final int FIXED_BYTES = 29;

    private static ControlFrame parse(byte[] bytes) {
        return ControlFrame.parse(MemorySegment.ofArray(bytes));
    }

    private static byte[] frame(ControlFrame.Type type, byte[] rest) {
        return new ControlFrame(ControlFrame.PROTOCOL_VERSION, type, ErrorMode.NONE, new UcxVersion(1, 18, 3), 8000, -77, rest).toBytes();
    }

    /** A frame that was understood says exactly what these bytes say, or is a later version's HELLO, of which no more is read. */
    private static void assertUnderstood(ControlFrame frame, byte[] bytes) {
        if (frame.protocolVersion() == ControlFrame.PROTOCOL_VERSION || frame.type() != ControlFrame.Type.HELLO) {
            assertThat(frame.toBytes()).isEqualTo(bytes);
        } else {
            assertThat(frame.rest()).isEmpty();
            assertThat(frame.protocolVersion()).isEqualTo(Byte.toUnsignedInt(bytes[4]));
        }
        assertThat(frame.rest().length).isLessThanOrEqualTo(ControlFrame.MAX_BYTES);
        assertThat(frame.reason()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(ControlFrame.Type.class)
    void frameSurvivesTheJourney(ControlFrame.Type type) {
        for (int size : new int[] {0, 1, 300, ControlFrame.MAX_BYTES - FIXED_BYTES}) {
            byte[] rest = new byte[size];
            new Random(size).nextBytes(rest);
            ControlFrame frame = parse(frame(type, rest));
            assertThat(frame).isNotNull();
            assertThat(frame.type()).isEqualTo(type);
            assertThat(frame.errorMode()).isEqualTo(ErrorMode.NONE);
            assertThat(frame.ucxVersion()).isEqualTo(new UcxVersion(1, 18, 3));
            assertThat(frame.maxHeaderBytes()).isEqualTo(8000);
            assertThat(frame.nonce()).isEqualTo(-77);
            assertThat(frame.rest()).isEqualTo(rest);
        }
    }

    /** How bytes are made that a careless parser would fall over. */
    enum Garbage {
        /** Any bytes, of any size up to twice a frame's. */
        RANDOM {
            @Override
            byte[] next(Random random) {
                return bytes(random, random.nextInt(2 * FIXED_BYTES));
            }
        },
        /** The rest of it random, behind the magic number and version of a frame. */
        RANDOM_BEHIND_THE_MAGIC {
            @Override
            byte[] next(Random random) {
                byte[] bytes = bytes(random, 4 + random.nextInt(2 * FIXED_BYTES));
                ByteBuffer.wrap(bytes).put(frame(ControlFrame.Type.HELLO, new byte[0]), 0, Math.min(bytes.length, 4 + random.nextInt(2)));
                return bytes;
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
        /** A frame whose rest claims to be of any size. */
        LYING_ABOUT_ITS_SIZE {
            @Override
            byte[] next(Random random) {
                byte[] bytes = anyFrame(random);
                ByteBuffer.wrap(bytes).putInt(FIXED_BYTES - Integer.BYTES, random.nextInt());
                return bytes;
            }
        };

        abstract byte[] next(Random random);

        static byte[] bytes(Random random, int size) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            return bytes;
        }

        static byte[] anyFrame(Random random) {
            ControlFrame.Type[] types = ControlFrame.Type.values();
            return frame(types[random.nextInt(types.length)], bytes(random, random.nextInt(40)));
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
            ControlFrame frame;
            try {
                frame = parse(bytes);
            } catch (RuntimeException e) {
                throw new AssertionError("input " + i + " of " + garbage + ": " + Arrays.toString(bytes), e);
            }
            assertThat(bytes).isEqualTo(untouched);
            if (frame != null) {
                understood.add(frame);
                assertUnderstood(frame, bytes);
            }
        }
        // Flips beyond the head leave a frame a frame, as does a cut at its end: both outcomes have to be among them.
        if (garbage == Garbage.FLIPPED || garbage == Garbage.CUT_OR_STRETCHED) {
            assertThat(understood).hasSizeBetween(100, INPUTS - 100);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, ControlFrame.MAX_BYTES - FIXED_BYTES + 1, 1})
    void sizeThatIsNotTheOneOfTheRestIsRefused(int size) {
        byte[] bytes = frame(ControlFrame.Type.HELLO, new byte[0]);
        ByteBuffer.wrap(bytes).putInt(FIXED_BYTES - Integer.BYTES, size);
        assertThat(parse(bytes)).isNull();
    }

    @Test
    void frameLargerThanAnyIsRefused() {
        assertThat(parse(frame(ControlFrame.Type.HELLO, new byte[ControlFrame.MAX_BYTES - FIXED_BYTES + 1]))).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3, 127, 128, 255})
    void helloOfAnotherVersionIsReadAsFarAsItMay(int version) {
        byte[] bytes = Arrays.copyOf(frame(ControlFrame.Type.HELLO, new byte[0]), 6);
        bytes[4] = (byte) version;

        ControlFrame frame = parse(bytes);

        assertThat(frame).isNotNull();
        assertThat(frame.type()).isEqualTo(ControlFrame.Type.HELLO);
        assertThat(frame.protocolVersion()).isEqualTo(version);
    }

    @Test
    void unknownTypeAndErrorModeAreRefused() {
        for (int value = Byte.MIN_VALUE; value <= Byte.MAX_VALUE; value++) {
            byte[] type = frame(ControlFrame.Type.FIN, new byte[0]);
            type[5] = (byte) value;
            assertThat(parse(type) != null).as("type " + value).isEqualTo(value >= 0 && value < ControlFrame.Type.values().length);
            byte[] mode = frame(ControlFrame.Type.FIN, new byte[0]);
            mode[6] = (byte) value;
            assertThat(parse(mode) != null).as("error mode " + value).isEqualTo(value >= 0 && value < ErrorMode.values().length);
        }
    }
}

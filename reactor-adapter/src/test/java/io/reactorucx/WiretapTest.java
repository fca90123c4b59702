package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.internal.frame.MappedFrame;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.transport.WiretapFormat;
import io.reactorucx.transport.config.Wiretap;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.event.Level;

/** What wiretaps write to the log. */
@Tag("slow")
class WiretapTest {

    private static String output = "";

    @BeforeAll
    static void run() {
        if (Ucx.isAvailable()) {
            ChildJvm.Result result = ChildJvm.of(WiretappedProgram.class).run();
            output = result.output();
            assertThat(result.exitCode()).as(output).isZero();
        }
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    /** The lines of a logger, each without what the logger puts in front. */
    private static List<String> lines(String category) {
        return Arrays.stream(output.split("\n")).filter(line -> line.contains(category + " - "))
                .map(line -> line.substring(line.indexOf(" - ") + 3)).toList();
    }

    @Test
    void linesBeginWithTheIdAndThePeer() {
        String id = Pattern.compile("(?m)^text (\\S+) (\\S+)$").matcher(output).results()
                .map(found -> found.group(1) + " " + found.group(2)).findFirst().orElseThrow();

        assertThat(lines("tap.text")).isNotEmpty().allSatisfy(line -> assertThat(line).startsWith("[" + id + "] "));
        assertThat(lines("tap.text").getFirst()).endsWith("connected");
        assertThat(lines("tap.text").getLast()).endsWith("closed");
    }

    @Test
    void hexShowsBytesAndAscii() {
        assertThat(output).containsPattern(Pattern.compile("(?m)^0000  ([0-9a-f]{2} ){15}[0-9a-f]{2}  \\S?.{0,16}$"));
        assertThat(lines("tap.server")).anySatisfy(line -> assertThat(line)
                .containsPattern("received active message \\d+, header 0 B, payload \\d+ B$"));
        assertThat(lines("tap.server")).anySatisfy(line -> assertThat(line).contains("] sent active message "));
    }

    @Test
    void textShowsCharactersAndNoLineOfThePeer() {
        assertThat(output).contains("what is.the time?").doesNotContain("what is\nthe time?");
    }

    @Test
    void simpleShowsSizesOnly() {
        assertThat(lines("tap.simple")).anySatisfy(line -> assertThat(line)
                .containsPattern("sent active message \\d+, header \\d+ B, payload 100000 B$"));
        assertThat(lines("tap.server")).anySatisfy(line -> assertThat(line).contains("offer of 100000 B"));
    }

    @Test
    void dumpIsBounded() {
        assertThat(output).contains("B more");
    }

    @Test
    void levelThatIsOffShowsNothing() {
        assertThat(lines("tap.debug")).isEmpty();
    }

    @Test
    void tokenThatProtectsAConnectionIsNotShown() {
        MemorySegment framed = MemorySegment.ofArray("SECRET!!what".getBytes(UTF_8));
        String log = shown(() -> {
            Wiretap tap = new Wiretap("tap.token", Level.INFO, WiretapFormat.HEX, 64, MemoryFrame::withoutKey);
            tap.message("1 peer", "sent", 1, framed, MemorySegment.NULL);
            tap.message("2 peer", "received", 1, MemorySegment.NULL, framed);
            tap.offer("3 peer", 1, framed, 10);
        });

        assertThat(log).contains("[1 peer] sent", "[2 peer] received", "[3 peer] received").doesNotContain("SECRET",
                "53 45 43 52");
        assertThat(Pattern.compile("77 68 61 74 +what").matcher(log).results()).hasSize(3);
    }

    /** A header behind the token that it begins with. */
    private static MemorySegment framed(MemorySegment header) {
        byte[] all = Arrays.copyOf("SECRET!!".getBytes(UTF_8), Long.BYTES + (int) header.byteSize());
        MemorySegment.copy(header, ValueLayout.JAVA_BYTE, 0, all, Long.BYTES, (int) header.byteSize());
        return MemorySegment.ofArray(all);
    }

    /** The kinds of frames that have a secret in them; an offer in mapped memory can have the header of any. */
    private static List<Frame> framesWithSecrets() {
        byte[] secret = "a key of 16 byte".getBytes(UTF_8);
        WindowKey key = WindowKey.read(ByteBuffer.wrap(secret));
        MemorySegment read = framed(new MemoryFrame.Read(1, key, 0, 8).toSegment());
        byte[] offer = Arrays.copyOf(read.toArray(ValueLayout.JAVA_BYTE),
                (int) read.byteSize() + MappedFrame.OFFER_BYTES);
        MappedFrame.putOffer(offer, (int) read.byteSize(), ReservedMessageIds.MEMORY, 1, 1, 0, 8);
        return List.of(new Frame(ReservedMessageIds.MEMORY, read, MemorySegment.NULL),
                new Frame(ReservedMessageIds.MEMORY, framed(new MemoryFrame.Write(1, key, 0, 8).toSegment()),
                        MemorySegment.NULL),
                new Frame(ReservedMessageIds.MAPPED, MemorySegment.ofArray(offer), MemorySegment.NULL),
                new Frame(ReservedMessageIds.MAPPED, new MappedFrame.Slab(1, 1 << 22, 7, 0, 1, secret).encode(0),
                        MemorySegment.NULL),
                new Frame(ReservedMessageIds.MAPPED, MemorySegment.NULL,
                        new MappedFrame.Slab(1, 1 << 22, 7, 0, 1, secret).encode(0)),
                new Frame(ReservedMessageIds.CHANNELS, framed(MemorySegment.ofArray(new byte[20])),
                        MemorySegment.ofArray("a key of".getBytes(UTF_8))));
    }

    private record Frame(int id, MemorySegment header, MemorySegment payload) {
    }

    @ParameterizedTest
    @EnumSource(names = {"HEX", "TEXT"})
    void keyOfAWindowAPoolOrAChannelIsNotShown(WiretapFormat format) {
        String log = shown(() -> {
            Wiretap tap = new Wiretap("tap.keys", Level.INFO, format, 256, MemoryFrame::withoutKey);
            for (Frame frame : framesWithSecrets()) {
                tap.message("1 peer", "sent", frame.id, frame.header, frame.payload);
                tap.offer("2 peer", frame.id, frame.header.byteSize() == 0 ? frame.payload : frame.header, 10);
            }
        });

        assertThat(log).contains("active message " + ReservedMessageIds.MEMORY, "active message "
                + ReservedMessageIds.MAPPED).doesNotContain("a key", "61 20 6b 65 79", "SECRET", "53 45 43 52");
    }

    @Test
    void dataOfAChannelIsShown() {
        byte[] header = new byte[20];
        header[4] = 1;
        assertThat(shown(() -> new Wiretap("tap.data", Level.INFO, WiretapFormat.TEXT, 256, MemoryFrame::withoutKey)
                .message("1 peer", "sent", ReservedMessageIds.CHANNELS, framed(MemorySegment.ofArray(header)),
                MemorySegment.ofArray("what is it".getBytes(UTF_8))))).contains("what is it");
    }

    /** The logger of the tests writes to whatever {@code System.err} is when it writes. */
    private static String shown(Runnable action) {
        PrintStream before = System.err;
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        System.setErr(new PrintStream(shown, true, UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(before);
        }
        return shown.toString(UTF_8);
    }

    @Test
    void argumentsAreChecked() {
        assertThatIllegalArgumentException().isThrownBy(() ->
                new Wiretap(" ", Level.INFO, WiretapFormat.HEX, 1, MemoryFrame::withoutKey))
                .withMessage("category ' ': must not be blank");
        for (int wrong : new int[] {-1, 65_537}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Wiretap("a", Level.INFO, WiretapFormat.HEX, wrong, MemoryFrame::withoutKey))
                    .withMessage("maxBytes " + wrong + ": must be in 0..65536");
        }
    }
}

package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.internal.frame.RequestHeader;
import io.reactorucx.internal.frame.RequestHeader.Answer;
import io.reactorucx.message.TraceContext;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trace contexts as text of the W3C, and in the head of a request. */
class TraceContextTest {

    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final TraceContext CONTEXT = new TraceContext(0x4bf92f3577b34da6L, 0xa3ce929d0e0e4736L,
            0x00f067aa0ba902b7L, (byte) 1, "congo=t61rcWkgMzE");

    @Test
    void textIsReadAndWritten() {
        assertThat(TraceContext.parse(PARENT, "congo=t61rcWkgMzE")).isEqualTo(CONTEXT);
        assertThat(CONTEXT.parent()).isEqualTo(PARENT);
        assertThat(Objects.requireNonNull(TraceContext.parse(PARENT.replace("-01", "-ff"), null)).parent())
                .endsWith("-ff");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "00", "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"})
    void textThatIsNoneOfVersionZeroIsNone(String parent) {
        assertThat(TraceContext.parse(parent, null)).isNull();
        assertThat(TraceContext.parse(null, "congo=t61rcWkgMzE")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=\n", "a=\u0000", "a=\u00e4", "a=\u007f"})
    void stateThatDoesNotFitIsLeftOut(String state) {
        assertThat(Objects.requireNonNull(TraceContext.parse(PARENT, state)).state()).isEmpty();
        assertThat(Objects.requireNonNull(TraceContext.parse(PARENT, "a".repeat(513))).state()).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> new TraceContext(1, 2, 3, (byte) 0, state))
                .withMessageContaining("state of 3 characters: must be at most 512 printable ones of ASCII");
    }

    @Test
    void headOfARequestKeepsIt() {
        byte[] request = "what".getBytes(UTF_8);

        for (boolean follows : new boolean[] {false, true}) {
            RequestHeader header = new RequestHeader(Answer.MANY, follows, follows, 77, CONTEXT, request);
            RequestHeader read = RequestHeader.parse(header.toBytes());

            assertThat(read.trace()).isEqualTo(CONTEXT);
            assertThat(read.follows()).isEqualTo(follows);
            assertThat(read.atOnce()).isEqualTo(follows);
            assertThat(read.deadlineMillis()).isEqualTo(77);
            assertThat(read.request()).isEqualTo(request);
        }
        assertThat(RequestHeader.parse(new RequestHeader(Answer.ONE, false, 0, request).toBytes()).trace()).isNull();
    }

    @Test
    void requestWithATraceIsNoneThatIsRespondedToAtOnce() {
        byte[] traced = new RequestHeader(Answer.ONE, false, false, 0, CONTEXT, new byte[8]).toBytes();
        byte[] other = new RequestHeader(Answer.ONE, false, 0, new byte[8]).toBytes();

        assertThat(RequestHeader.isForOneAtOnce(traced, 0, traced.length)).isFalse();
        assertThat(RequestHeader.isForOneAtOnce(other, 0, other.length)).isTrue();
        assertThat(other).as("bytes of a request that is not traced").hasSize(RequestHeader.FIXED_BYTES + 8);
    }

    @Test
    void hostileHeadsAreRefused() {
        byte[] honest = new RequestHeader(Answer.ONE, false, false, 0, CONTEXT, new byte[0]).toBytes();
        int state = RequestHeader.bytesBefore(CONTEXT) - CONTEXT.state().length();

        for (int length = RequestHeader.FIXED_BYTES; length < honest.length; length++) {
            byte[] cut = Arrays.copyOf(honest, length);
            assertThatThrownBy(() -> RequestHeader.parse(cut)).isInstanceOf(ProtocolViolationException.class);
        }
        assertRefused(honest, 1, 4, "flags 6");
        assertRefused(honest, 1, 8, "flags 10");
        assertRefused(honest, state - 2, 2, "a state of 529 bytes");
        assertRefused(honest, state, 7, "printable");
        byte[] noTrace = honest.clone();
        Arrays.fill(noTrace, RequestHeader.FIXED_BYTES, RequestHeader.FIXED_BYTES + 16, (byte) 0);
        assertThatThrownBy(() -> RequestHeader.parse(noTrace)).isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining("traceId 0");
        byte[] noSpan = honest.clone();
        Arrays.fill(noSpan, RequestHeader.FIXED_BYTES + 16, RequestHeader.FIXED_BYTES + 24, (byte) 0);
        assertThatThrownBy(() -> RequestHeader.parse(noSpan)).isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining("spanId 0");
    }

    private static void assertRefused(byte[] honest, int at, int value, String why) {
        byte[] bytes = honest.clone();
        bytes[at] = (byte) (at == 1 ? bytes[at] | value : value);
        assertThatThrownBy(() -> RequestHeader.parse(bytes)).isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining(why);
    }
}

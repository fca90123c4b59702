package io.reactorucx.internal.message.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole table of transitions; RESET of a stream that was not cancelled violates the protocol. */
class InboundStateTest {

    /** What follows on each event; no state if the event is a violation. */
    private record Row(InboundState cancel, InboundState end, InboundState cancelWritten,
            @Nullable InboundState reset) {
    }

    private static final Map<InboundState, Row> TABLE = Map.of(
            InboundState.OPEN, new Row(InboundState.CANCEL_DUE, InboundState.ENDED, InboundState.OPEN, null),
            InboundState.CANCEL_DUE, new Row(InboundState.CANCEL_DUE, InboundState.ENDED_CANCEL_DUE,
                    InboundState.CANCELLED, null),
            InboundState.CANCELLED, new Row(InboundState.CANCELLED, InboundState.ENDED, InboundState.CANCELLED,
                    InboundState.OPEN),
            InboundState.ENDED_CANCEL_DUE, new Row(InboundState.ENDED_CANCEL_DUE, InboundState.ENDED_CANCEL_DUE,
                    InboundState.ENDED, null),
            InboundState.ENDED, new Row(InboundState.ENDED, InboundState.ENDED, InboundState.ENDED,
                    InboundState.ENDED));

    @ParameterizedTest
    @EnumSource
    void hasOneSuccessorForEachEvent(InboundState state) {
        Row row = TABLE.get(state);
        assertThat(state.cancel()).isEqualTo(row.cancel());
        assertThat(state.end()).isEqualTo(row.end());
        assertThat(state.cancelWritten()).isEqualTo(row.cancelWritten());
        if (row.reset() == null) {
            assertThatThrownBy(state::reset).isInstanceOf(ProtocolViolationException.class)
                    .hasMessageContaining("not cancelled");
        } else {
            assertThat(state.reset()).isEqualTo(row.reset());
        }
    }

    @ParameterizedTest
    @EnumSource
    void owesTheCancelUntilItIsWritten(InboundState state) {
        assertThat(state.end().isCancelDue()).isEqualTo(state.isCancelDue());
        assertThat(state.end().isEnded()).isTrue();
        assertThat(state.cancelWritten().isCancelDue()).isFalse();
        assertThat(state.cancelWritten().isEnded()).isEqualTo(state.isEnded());
    }
}

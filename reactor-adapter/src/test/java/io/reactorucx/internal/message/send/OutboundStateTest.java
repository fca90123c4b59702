package io.reactorucx.internal.message.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole table of transitions: a state has one successor for each event, and none leads back to open. */
class OutboundStateTest {

    private record Row(OutboundState close, OutboundState terminate, OutboundState end, OutboundState cancel) {
    }

    private static final Map<OutboundState, Row> TABLE = Map.of(
            OutboundState.OPEN, new Row(OutboundState.CLOSING, OutboundState.ENDING, OutboundState.ENDED,
                    OutboundState.CANCELLED),
            OutboundState.CLOSING, new Row(OutboundState.CLOSING, OutboundState.ENDING, OutboundState.ENDED,
                    OutboundState.CANCELLED),
            OutboundState.ENDING, new Row(OutboundState.ENDING, OutboundState.ENDING, OutboundState.ENDED,
                    OutboundState.CANCELLED),
            OutboundState.ENDED, all(OutboundState.ENDED),
            OutboundState.CANCELLED, all(OutboundState.CANCELLED));

    private static Row all(OutboundState same) {
        return new Row(same, same, same, same);
    }

    @ParameterizedTest
    @EnumSource
    void hasOneSuccessorForEachEvent(OutboundState state) {
        assertThat(new Row(state.close(), state.terminate(), state.end(), state.cancel())).isEqualTo(TABLE.get(state));
    }

    @ParameterizedTest
    @EnumSource
    void staysEnded(OutboundState state) {
        for (UnaryOperator<OutboundState> event : Map.<String, UnaryOperator<OutboundState>>of(
                "close", OutboundState::close, "terminate", OutboundState::terminate, "end", OutboundState::end,
                "cancel", OutboundState::cancel).values()) {
            assertThat(event.apply(state).hasEnded() || !state.hasEnded()).isTrue();
        }
    }
}

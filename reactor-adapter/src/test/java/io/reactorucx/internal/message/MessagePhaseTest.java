package io.reactorucx.internal.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole table: both sides may finish in either order. */
class MessagePhaseTest {

    private record Row(MessagePhase close, MessagePhase peerFinishes) {
    }

    private static final Map<MessagePhase, Row> TABLE = Map.of(
            MessagePhase.OPEN, new Row(MessagePhase.CLOSING, MessagePhase.PEER_FINISHED),
            MessagePhase.CLOSING, new Row(MessagePhase.CLOSING, MessagePhase.CLOSING_PEER_FINISHED),
            MessagePhase.PEER_FINISHED, new Row(MessagePhase.CLOSING_PEER_FINISHED, MessagePhase.PEER_FINISHED),
            MessagePhase.CLOSING_PEER_FINISHED, new Row(MessagePhase.CLOSING_PEER_FINISHED,
                    MessagePhase.CLOSING_PEER_FINISHED),
            MessagePhase.ENDED, new Row(MessagePhase.ENDED, MessagePhase.ENDED));

    @ParameterizedTest
    @EnumSource
    void hasOneSuccessorForEachEvent(MessagePhase phase) {
        assertThat(new Row(phase.close(), phase.peerFinishes())).isEqualTo(TABLE.get(phase));
    }

    @ParameterizedTest
    @EnumSource
    void forgetsNeitherSide(MessagePhase phase) {
        assertThat(phase.close().hasPeerFinished()).isEqualTo(phase.hasPeerFinished());
        assertThat(phase.peerFinishes().isClosing()).isEqualTo(phase.isClosing());
    }
}

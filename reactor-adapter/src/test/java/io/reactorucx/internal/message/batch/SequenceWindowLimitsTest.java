package io.reactorucx.internal.message.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.frame.ProtocolViolationException;
import org.junit.jupiter.api.Test;

/** The last number, byte or message that a limit of the window lets through, and the first that it does not. */
class SequenceWindowLimitsTest {

    private static final int WINDOW_BYTES = FlowControlConfig.MIN_WINDOW_BYTES;
    /** Batches that are acknowledged at the latest after so many. */
    private static final int ACKNOWLEDGED_AFTER = SequenceWindow.WINDOW / 8;

    private final SequenceWindow window = new SequenceWindow(WINDOW_BYTES);

    @Test
    void keepsMessageAtTheEndOfTheWindowAndNoneBehindIt() {
        assertThat(window.arrived("last", SequenceWindow.WINDOW - 1, 0)).isFalse();
        assertThatThrownBy(() -> window.arrived("behind", SequenceWindow.WINDOW, 0))
                .isInstanceOf(ProtocolViolationException.class);
    }

    @Test
    void keepsBytesUpToTheLimitAndNotOneMore() {
        int limit = WINDOW_BYTES + MessageFrameCodec.MAX_BATCH_BYTES;
        assertThat(window.arrived(new byte[limit - 1], 1, limit - 1)).isFalse();
        assertThat(window.arrived(new byte[1], 2, 1)).isFalse();
        assertThatThrownBy(() -> window.arrived(new byte[1], 3, 1)).isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining("at most " + limit);
        assertThat(window.arrived("a large message, whose data is with its sender", 4, 0)).isFalse();
    }

    @Test
    void releasesEachMessageThatCameTooEarlyOnce() {
        Object[] early = {new byte[3], "first in the table", "last in the table"};
        window.arrived(early[0], 5, 3);
        window.arrived(early[2], SequenceWindow.WINDOW - 1, 0);
        assertThat(window.arrived("in turn", 0, 0)).isTrue();
        assertThat(window.advance()).isNull();
        window.arrived(early[1], SequenceWindow.WINDOW, 0);
        assertThat(new Object[] {window.pollAny(), window.pollAny(), window.pollAny()})
                .containsExactlyInAnyOrder(early);
        assertThat(window.pollAny()).isNull();
        assertThat(new SequenceWindow(WINDOW_BYTES).pollAny()).isNull();
    }

    @Test
    void takesAcknowledgementOfAllThatWasSentAndOfNothingMore() {
        for (int i = 0; i < 3; i++) {
            window.take(0);
        }
        window.acknowledged(1);
        assertThatThrownBy(() -> window.acknowledged(4)).isInstanceOf(ProtocolViolationException.class)
                .hasMessage("4 acknowledged of 3");
        assertThatCode(() -> window.acknowledged(1)).as("the same again").doesNotThrowAnyException();
        window.acknowledged(3);
        assertThat(window.hasArrived(2)).isTrue();
        assertThat(window.hasArrived(3)).as("a message that was not sent").isFalse();
    }

    @Test
    void sendsUntilThePeersBytesAreFilled() {
        window.peerWindow(100);
        window.take(99);
        assertThat(window.admits()).isTrue();
        window.take(1);
        assertThat(window.admits()).isFalse();
        window.acknowledged(1);
        assertThat(window.admits()).isTrue();
        window.take(99);
        assertThat(window.admits()).as("with 100 bytes that are not acknowledged").isFalse();
        window.acknowledged(3);
        assertThat(window.admits()).isTrue();
    }

    @Test
    void acknowledgesAtTheLatestAfterSoManyMessagesOrBytes() {
        for (int i = 0; i < ACKNOWLEDGED_AFTER; i++) {
            assertThat(window.isAcknowledgementDue()).as("after %s messages", i).isFalse();
            assertThat(window.arrived("message", i, 0)).isTrue();
            window.advance();
        }
        assertThat(window.isAcknowledgementDue()).isTrue();
        assertThat(window.acknowledge()).isEqualTo(ACKNOWLEDGED_AFTER);
        assertThat(window.isAcknowledgementDue()).isFalse();

        window.arrived("batch", ACKNOWLEDGED_AFTER, WINDOW_BYTES / 4 - 1);
        assertThat(window.isAcknowledgementDue()).isFalse();
        window.advance();
        window.arrived("batch", ACKNOWLEDGED_AFTER + 1, 1);
        assertThat(window.isAcknowledgementDue()).isTrue();
    }

    @Test
    void acknowledgesAtOnceWhenAsked() {
        window.acknowledgeAtOnce();
        assertThat(window.isAcknowledgementDue()).isTrue();
        window.acknowledge();
        assertThat(window.isAcknowledgementDue()).isFalse();
    }

    /** UCX has refused the message, so that its number, bytes and acknowledgement go with the next one. */
    @Test
    void givesBackNumberAndBytesOfMessageThatWasNotSent() {
        window.peerWindow(100);
        assertThat(window.take(60)).isZero();
        window.acknowledge();
        assertThat(window.take(40)).isEqualTo(1);
        assertThat(window.admits()).isFalse();
        window.giveBack();
        assertThat(window.admits()).isTrue();
        assertThat(window.isAcknowledgementDue()).isTrue();
        assertThatThrownBy(() -> window.acknowledged(2)).isInstanceOf(ProtocolViolationException.class);
        assertThat(window.take(39)).as("the number").isEqualTo(1);
        assertThat(window.admits()).as("with 99 bytes in flight").isTrue();
        window.take(1);
        assertThat(window.admits()).isFalse();
        window.acknowledged(3);
        window.take(99);
        assertThat(window.admits()).isTrue();
    }
}

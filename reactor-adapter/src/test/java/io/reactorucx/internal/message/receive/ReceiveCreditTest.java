package io.reactorucx.internal.message.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.frame.ProtocolViolationException;
import org.junit.jupiter.api.Test;

class ReceiveCreditTest {

    private static final int WINDOW_BYTES = FlowControlConfig.DEFAULT.windowBytes();

    private final ReceiveCredit credit = new ReceiveCredit(FlowControlConfig.DEFAULT);

    @Test
    void isDueWhenHalfOfTheMessagesAreUsed() {
        assertThat(credit.isDue(0, 0)).as("without demand").isFalse();
        assertThat(credit.isDue(4, 0)).isTrue();
        assertThat(credit.grantMessages(4)).isEqualTo(4);
        assertThat(credit.grantBytes(0)).isEqualTo(WINDOW_BYTES);
        credit.spend(1);
        assertThat(credit.isDue(4, 0)).as("one of four used").isFalse();
        credit.spend(1);
        assertThat(credit.isDue(4, 0)).as("two of four used").isTrue();
        assertThat(credit.grantMessages(4)).isEqualTo(2);
    }

    @Test
    void isDueWhenHalfOfTheBytesAreUsed() {
        credit.grantMessages(100);
        credit.grantBytes(0);
        credit.spend(WINDOW_BYTES / 2 - 1);
        assertThat(credit.isDue(99, 0)).isFalse();
        credit.spend(1);
        assertThat(credit.isDue(98, 0)).isTrue();
        assertThat(credit.isDue(98, 1)).as("while a byte waits for the subscriber").isFalse();
        assertThat(credit.grantBytes(0)).isEqualTo(WINDOW_BYTES / 2);
    }

    @Test
    void refusesMoreThanItHasGiven() {
        assertThatThrownBy(() -> credit.spend(0)).isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining("credit for 0");
        credit.granted(2, 10);
        assertThatThrownBy(() -> credit.spend(11)).isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining("11 bytes").hasMessageContaining("of 10 bytes");
        credit.spend(10);
        credit.reset();
        assertThatThrownBy(() -> credit.spend(0)).isInstanceOf(ProtocolViolationException.class);
    }

    @Test
    void takesNothingBackWhenDemandShrinks() {
        credit.grantMessages(8);
        assertThat(credit.grantMessages(3)).isZero();
        assertThat(credit.isDue(3, WINDOW_BYTES)).isFalse();
    }
}

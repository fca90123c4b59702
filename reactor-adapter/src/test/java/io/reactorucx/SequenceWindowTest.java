package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.internal.frame.ProtocolViolationException;
import io.reactorucx.internal.message.SequenceWindow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages are taken in order, and the sender stays within the window. */
class SequenceWindowTest {

    private static void deliver(SequenceWindow sequence, int number, List<Integer> to) {
        Object next = sequence.arrived(number, number) ? number : null;
        while (next != null) {
            to.add((Integer) next);
            next = sequence.advance();
        }
    }

    @Test
    void messagesAreTakenInOrder() {
        SequenceWindow sequence = new SequenceWindow();
        Random random = new Random(3);
        List<Integer> taken = new ArrayList<>();
        for (int from = 0; from < 20 * SequenceWindow.WINDOW; from += SequenceWindow.WINDOW) {
            List<Integer> numbers = new ArrayList<>(IntStream.range(from, from + SequenceWindow.WINDOW).boxed()
                    .toList());
            Collections.shuffle(numbers, random);
            numbers.forEach(number -> deliver(sequence, number, taken));
        }
        assertThat(taken).isEqualTo(IntStream.range(0, 20 * SequenceWindow.WINDOW).boxed().toList());
    }

    @Test
    void numbersOutsideTheWindowAreRefused() {
        SequenceWindow sequence = new SequenceWindow();
        deliver(sequence, 0, new ArrayList<>());
        sequence.arrived(5, 5);
        for (int bad : new int[] {0, -1, 1 + SequenceWindow.WINDOW, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> sequence.arrived(bad, bad)).isInstanceOf(ProtocolViolationException.class);
        }
        assertThatThrownBy(() -> sequence.arrived(5, 5)).isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining("twice");
        assertThat(sequence.arrived(SequenceWindow.WINDOW, SequenceWindow.WINDOW)).isFalse();
    }

    @Test
    void senderStopsUntilTheReceiverAcknowledges() {
        SequenceWindow sender = new SequenceWindow();
        SequenceWindow receiver = new SequenceWindow();
        int sent = 0;
        for (int round = 0; round < 100; round++) {
            while (sender.admits()) {
                deliver(receiver, sender.take(), new ArrayList<>());
                sent++;
            }
            assertThat(receiver.isAcknowledgementDue()).isTrue();
            assertThat(sender.hasArrived(sent - 1)).isFalse();
            sender.acknowledged(receiver.acknowledge());
            assertThat(receiver.isAcknowledgementDue()).isFalse();
            assertThat(sender.hasArrived(sent - 1)).isTrue();
        }
        assertThat(sent).isEqualTo(100 * SequenceWindow.WINDOW / 2);
    }

    @Test
    void acknowledgementOfUnsentMessagesIsRefused() {
        SequenceWindow sequence = new SequenceWindow();
        sequence.take();
        assertThatThrownBy(() -> sequence.acknowledged(2)).isInstanceOf(ProtocolViolationException.class);
        assertThatThrownBy(() -> sequence.acknowledged(-1)).isInstanceOf(ProtocolViolationException.class);
        sequence.acknowledged(1);
        assertThatThrownBy(() -> sequence.acknowledged(0)).isInstanceOf(ProtocolViolationException.class);
    }
}

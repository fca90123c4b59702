package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.SequenceWindow;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages are taken in order, and the sender stays within the window. */
class SequenceWindowTest {

    private static void deliver(SequenceWindow sequence, int number, List<Integer> to) {
        Object next = sequence.arrived(number, number, 0) ? number : null;
        while (next != null) {
            to.add((Integer) next);
            next = sequence.advance();
        }
    }

    @Test
    void messagesAreTakenInOrder() {
        SequenceWindow sequence = new SequenceWindow(1 << 20);
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
        SequenceWindow sequence = new SequenceWindow(1 << 20);
        deliver(sequence, 0, new ArrayList<>());
        sequence.arrived(5, 5, 0);
        for (int bad : new int[] {0, -1, 1 + SequenceWindow.WINDOW, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> sequence.arrived(bad, bad, 0)).isInstanceOf(ProtocolViolationException.class);
        }
        assertThatThrownBy(() -> sequence.arrived(5, 5, 0)).isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining("twice");
        assertThat(sequence.arrived(SequenceWindow.WINDOW, SequenceWindow.WINDOW, 0)).isFalse();
    }

    @Test
    void senderStopsUntilTheReceiverAcknowledges() {
        SequenceWindow sender = new SequenceWindow(1 << 20);
        SequenceWindow receiver = new SequenceWindow(1 << 20);
        int sent = 0;
        for (int round = 0; round < 100; round++) {
            while (sender.admits()) {
                deliver(receiver, sender.take(0), new ArrayList<>());
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
        SequenceWindow sequence = new SequenceWindow(1 << 20);
        sequence.take(0);
        assertThatThrownBy(() -> sequence.acknowledged(2)).isInstanceOf(ProtocolViolationException.class);
        assertThatThrownBy(() -> sequence.acknowledged(-1)).isInstanceOf(ProtocolViolationException.class);
        sequence.acknowledged(1);
        assertThatThrownBy(() -> sequence.acknowledged(0)).isInstanceOf(ProtocolViolationException.class);
    }

    @Test
    void batchesThatComeTooEarlyAreLimitedInBytes() {
        SequenceWindow sequence = new SequenceWindow(FlowControlConfig.MIN_WINDOW_BYTES);
        byte[] batch = new byte[MessageFrameCodec.MAX_INLINE_BYTES];
        // The window, and one batch beyond.
        for (int number = 1; number <= 4; number++) {
            assertThat(sequence.arrived(batch, number, batch.length)).isFalse();
        }
        assertThatThrownBy(() -> sequence.arrived(batch, 5, batch.length))
                .isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining("32768 bytes that come too early, with 131072 bytes");

        assertThat(sequence.arrived(batch, 0, batch.length)).isTrue();
        assertThat(sequence.advance()).as("the first that waited").isSameAs(batch);
        assertThat(sequence.arrived(batch, 5, batch.length)).as("its room is free").isFalse();
    }

    @Test
    void senderKeepsToTheBytesThatItsPeerAccepts() {
        SequenceWindow sender = new SequenceWindow(1 << 20);
        int window = FlowControlConfig.MIN_WINDOW_BYTES;
        SequenceWindow receiver = new SequenceWindow(window);
        sender.peerWindow(window);
        int batch = 10_000;
        byte[] bytes = new byte[batch];
        int sent = 0;
        for (int round = 0; round < 1000; round++) {
            List<Integer> inFlight = new ArrayList<>();
            while (sender.admits()) {
                inFlight.add(sender.take(batch));
                sent++;
            }
            assertThat(inFlight.size() * batch).as("bytes in flight").isBetween(window / 2, window + batch);
            // The first comes last: all others are kept, which the receiver has to accept.
            Collections.reverse(inFlight);
            for (int number : inFlight) {
                for (Object next = receiver.arrived(bytes, number, batch) ? bytes : null; next != null;) {
                    next = receiver.advance();
                }
            }
            assertThat(receiver.isAcknowledgementDue()).as("acknowledgement due").isTrue();
            sender.acknowledged(receiver.acknowledge());
        }
        assertThat(sender.hasArrived(sent - 1)).isTrue();
    }
}

package io.reactorucx.internal.message.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.internal.message.batch.MessageBatch;
import org.junit.jupiter.api.Test;

/** A connection may not end before the peer was told that its close has interrupted a stream. */
class InterruptionTest {

    private final Interruption interruption = new Interruption();
    private final MessageBatch batch = new MessageBatch.Pool().take(sent -> { }, 1_000, 1_000);

    @Test
    void isUnsentUntilItsBatchIsTaken() {
        interruption.tell();
        assertThat(interruption.isDue()).isTrue();
        assertThat(interruption.isUnsent(null)).isTrue();

        interruption.write(batch);
        assertThat(interruption.isDue()).isFalse();
        assertThat(interruption.isUnsent(batch)).isTrue();
        assertThat(interruption.isUnsent(null)).isFalse();
    }

    @Test
    void isWrittenWithLastOnlyIfExpected() {
        assertThat(interruption.isExpected()).isFalse();
        interruption.expect(true);
        assertThat(interruption.isExpected()).isTrue();
        assertThat(interruption.isUnsent(batch)).isFalse();
        interruption.expect(false);
        assertThat(interruption.isExpected()).isFalse();
    }
}

package io.reactorucx.examples.store.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.examples.store.load.KeyModel.Verdict;
import org.junit.jupiter.api.Test;

/** The judge of the load has to notice what it looks for. */
class KeyModelTest {

    private static final int KEY = 1;
    private static final int LARGE = 0;

    private final KeyModel model = new KeyModel("key", 2);

    private byte[] write(int index) {
        long write = model.begin(index);
        model.acknowledge(index, write);
        return model.value(index, write);
    }

    @Test
    void acceptsTheLastAcknowledgedWriteAndOneThatIsUnderWay() {
        byte[] last = write(KEY);
        long next = model.begin(KEY);
        assertThat(model.judge(KEY, 1, last)).isEqualTo(Verdict.RIGHT);
        assertThat(model.judge(KEY, 1, model.value(KEY, next))).isEqualTo(Verdict.RIGHT);
        assertThat(model.judge(KEY, 0, null)).isEqualTo(Verdict.RIGHT);
    }

    @Test
    void noticesAnOldValue() {
        byte[] old = write(KEY);
        write(KEY);
        assertThat(model.judge(KEY, 2, old)).isEqualTo(Verdict.WRONG);
        assertThat(model.describe(KEY, 2, old)).isEqualTo("key-1: write 1, acknowledged 2, begun 2");
    }

    @Test
    void noticesAValueThatWasNeverWritten() {
        write(KEY);
        assertThat(model.judge(KEY, 1, model.value(KEY, 2))).isEqualTo(Verdict.WRONG);
        assertThat(model.judge(KEY, 0, new byte[0])).isEqualTo(Verdict.WRONG);
    }

    @Test
    void noticesAChangedByteAndAnotherKey() {
        byte[] value = write(LARGE);
        assertThat(model.judge(LARGE, 1, value.clone())).isEqualTo(Verdict.RIGHT);
        assertThat(model.judge(KEY, 0, value)).isEqualTo(Verdict.WRONG);
        value[value.length - 1]++;
        assertThat(model.judge(LARGE, 1, value)).isEqualTo(Verdict.WRONG);
    }

    @Test
    void noticesAMissingValueUnlessItMayBeDeleted() {
        write(KEY);
        assertThat(model.judge(KEY, 1, null)).isEqualTo(Verdict.MISSING);
        while (model.acknowledged(KEY) < 15) {
            write(KEY);
        }
        assertThat(model.judge(KEY, 15, null)).isEqualTo(Verdict.MISSING);
        assertThat(model.value(KEY, model.begin(KEY))).isNull();
        assertThat(model.judge(KEY, 15, null)).isEqualTo(Verdict.RIGHT);
        model.acknowledge(KEY, 16);
        assertThat(model.judge(KEY, 16, null)).isEqualTo(Verdict.RIGHT);
        write(KEY);
        assertThat(model.judge(KEY, 17, null)).isEqualTo(Verdict.MISSING);
    }
}

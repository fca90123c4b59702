package io.reactorucx.examples.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** An error that is none of a connection fails the soak, whether an exchange or nobody receives it. */
class SoakReportTest {

    private static final RuntimeException RELEASED = new IllegalStateException("buffer of 3 bytes: it was released");
    private static final UcxException LOST = new UcxException(UcxStatus.CONNECTION_RESET, "send", "peer", "lost");

    @AfterEach
    void reset() {
        Hooks.resetOnErrorDropped();
    }

    private static boolean reports(long unexpected) {
        List<String> levels = Levels.NOTHING.stream().map(name -> name + "=0")
                .collect(Collectors.toCollection(ArrayList::new));
        levels.add(Levels.UNEXPECTED + "=" + unexpected);
        Levels after = Levels.parse(String.join(";", levels));
        Levels before = Levels.parse(after.toLine().replace("=" + unexpected, "=0"));
        return new SoakReport().print(new Tallies(), new Levels[] {before, before}, new Levels[] {before, after});
    }

    @Test
    void droppedErrorsThatAreNoneOfAConnectionAreCounted() {
        long before = DroppedErrors.unexpected();
        DroppedErrors.count();

        Operators.onErrorDropped(LOST, Context.empty());
        assertThat(DroppedErrors.unexpected()).isEqualTo(before);
        Operators.onErrorDropped(RELEASED, Context.empty());
        assertThat(DroppedErrors.unexpected()).isEqualTo(before + 1);
        assertThat(DroppedErrors.byName())
                .containsKey("java.lang.IllegalStateException: buffer of N bytes: it was released");
    }

    @Test
    void oneOfThemFailsTheSoak() {
        assertThat(reports(0)).isTrue();
        assertThat(reports(1)).isFalse();
    }

    @Test
    void exchangeThatFailsWithAnErrorOfNoConnectionFailsTheSoak() {
        assertThat(Stream.of(LOST, RELEASED).map(SoakReportTest::isSoundAfter)).containsExactly(true, false);
    }

    private static boolean isSoundAfter(Throwable error) {
        Tally tally = new Tally();
        tally.begun();
        tally.delivered(1);
        tally.begun();
        tally.failed(error);
        return tally.isSound();
    }
}

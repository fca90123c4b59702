package io.reactorucx.internal.message.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlushScopeTest {

    private final List<String> calls = new ArrayList<>();
    private Runnable whileFlushing = () -> { };
    private final FlushScope scope = new FlushScope(() -> {
        calls.add("flush");
        whileFlushing.run();
    }, () -> calls.add("flushed"));

    @Test
    void flushesWhenTheOutermostCallReturns() {
        assertThat(scope.isHere()).isFalse();
        try (var _ = scope.open()) {
            assertThat(scope.isHere()).isTrue();
            try (var _ = scope.open()) {
                assertThat(calls).isEmpty();
            }
            assertThat(scope.isHere()).isTrue();
            assertThat(calls).isEmpty();
        }
        assertThat(scope.isHere()).isFalse();
        assertThat(calls).containsExactly("flush", "flushed");
    }

    @Test
    void callWithinTheFlushIsNoOutermostOne() {
        whileFlushing = () -> {
            assertThat(scope.isHere()).isTrue();
            scope.open().close();
        };
        scope.open().close();
        scope.open().close();
        assertThat(calls).containsExactly("flush", "flushed", "flush", "flushed");
    }

    @Test
    void outlivesCallsWhoseCloseDidNotRun() {
        FlushScope.Level outer = scope.open();
        scope.open();
        scope.open();
        outer.close();
        assertThat(calls).containsExactly("flush", "flushed");
        assertThat(scope.isHere()).isFalse();
    }

    @Test
    void noOtherThreadIsWithinACall() throws InterruptedException {
        try (var _ = scope.open()) {
            Thread other = new Thread(() -> calls.add(scope.isHere() ? "here" : "elsewhere"));
            other.start();
            other.join();
        }
        assertThat(calls).startsWith("elsewhere");
    }

    @Test
    void outlivesAFlushThatThrows() {
        whileFlushing = () -> {
            throw new StackOverflowError("planted");
        };
        assertThatThrownBy(() -> scope.open().close()).isInstanceOf(StackOverflowError.class);
        whileFlushing = () -> { };
        calls.clear();
        scope.open().close();
        assertThat(calls).containsExactly("flush", "flushed");
    }

    @Test
    void stepOfTheShutdownFlushesAndDoesNotLookWhetherTheCloseGoesOn() {
        scope.duringShutdown(() -> calls.add("step"));
        assertThat(calls).containsExactly("step", "flush");
    }
}

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
        try (var outer = scope.open()) {
            assertThat(outer.isOutermost()).isTrue();
            try (var inner = scope.open()) {
                assertThat(inner.isOutermost()).isFalse();
            }
            assertThat(calls).isEmpty();
        }
        assertThat(calls).containsExactly("flush", "flushed");
    }

    @Test
    void callWithinTheFlushIsNoOutermostOne() {
        whileFlushing = () -> {
            try (var within = scope.open()) {
                assertThat(within.isOutermost()).isFalse();
            }
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
        try (var next = scope.open()) {
            assertThat(next.isOutermost()).isTrue();
        }
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

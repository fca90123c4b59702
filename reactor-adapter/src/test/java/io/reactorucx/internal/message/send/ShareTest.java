package io.reactorucx.internal.message.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One connection's use of the window that it shares: whatever it does, the other connections get their turn. */
class ShareTest {

    private final SharedSendWindow.Registry registry = new SharedSendWindow.Registry();
    private final List<String> called = new ArrayList<>();
    private final SharedSendWindow.Share a = joined("a");
    private final SharedSendWindow.Share b = joined("b");

    private SharedSendWindow.Share joined(String name) {
        SharedSendWindow.Share share = new SharedSendWindow.Share(() -> called.add(name));
        share.join(registry.join(7));
        return share;
    }

    private static void fill(SharedSendWindow.Share by) {
        for (int i = 0; i < SharedSendWindow.MAX_IN_FLIGHT; i++) {
            assertThat(by.admits()).isTrue();
            by.batchStarted();
        }
    }

    @Test
    void batchesOfOneConnectionCloseTheWindowOfAll() {
        fill(a);
        assertThat(b.isOpen()).isFalse();
        assertThat(b.admits()).isFalse();
        a.batchCompleted();
        assertThat(b.isOpen()).isTrue();
        assertThat(b.admits()).isTrue();
    }

    @Test
    void connectionThatLeavesGivesUpItsBatchesInFlight() {
        fill(a);
        b.await();
        assertThat(a.leave()).as("whether others wait").isTrue();
        b.admitNext();
        assertThat(called).containsExactly("b");
        assertThat(a.leave()).isFalse();
        fill(b);
        assertThat(b.isOpen()).isFalse();
    }

    @Test
    void connectionThatLeavesGivesUpNoBatchThatHasCompleted() {
        fill(a);
        a.batchCompleted();
        a.batchCompleted();
        b.batchStarted();
        a.leave();
        for (int i = 1; i < SharedSendWindow.MAX_IN_FLIGHT; i++) {
            assertThat(b.isOpen()).isTrue();
            b.batchStarted();
        }
        assertThat(b.isOpen()).as("with as many batches as are allowed").isFalse();
    }

    @Test
    void batchesThatCompleteAfterTheConnectionHasLeftCountNoMore() {
        fill(a);
        a.leave();
        a.batchCompleted();
        fill(b);
        assertThat(b.isOpen()).as("with as many batches as are allowed").isFalse();
    }

    @Test
    void waitsOnceAndAgainAfterItsTurn() {
        fill(a);
        b.await();
        b.await();
        a.batchCompleted();
        a.admitNext();
        a.admitNext();
        assertThat(called).containsExactly("b");
        b.await();
        a.admitNext();
        assertThat(called).containsExactly("b", "b");
    }

    @Test
    void waitsNoMoreOnceItHasNothingToSend() {
        fill(a);
        b.await();
        b.cancelAwait();
        assertThat(a.leave()).as("whether others wait").isFalse();
        a.admitNext();
        assertThat(called).isEmpty();
        assertThat(a.admits()).isTrue();
        b.await();
        a.admitNext();
        assertThat(called).containsExactly("b");
    }

    @Test
    void connectionsToOtherWorkersHaveWindowsOfTheirOwn() {
        SharedSendWindow.Share other = new SharedSendWindow.Share(() -> called.add("other"));
        fill(a);
        assertThat(other.isOpen()).as("before its peer's worker is known").isTrue();
        other.join(registry.join(8));
        assertThat(other.isOpen()).isTrue();
        assertThat(registry.size()).isEqualTo(2);
    }

    @Test
    void windowEndsWithItsLastConnection() {
        fill(a);
        registry.leave(7);
        assertThat(registry.join(7).isOpen()).as("the window while a connection is there").isFalse();
        registry.leave(7);
        registry.leave(7);
        assertThat(registry.size()).isZero();
        registry.leave(7);
        assertThat(registry.join(7).isOpen()).as("a new window").isTrue();
    }
}

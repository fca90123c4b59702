package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.internal.message.send.SharedSendWindow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections to one worker share a limit of batches in flight, and queue for it. */
class SharedSendWindowTest {

    private final SharedSendWindow window = new SharedSendWindow();
    private final List<String> called = new ArrayList<>();

    private void fill() {
        for (int i = 0; i < SharedSendWindow.MAX_IN_FLIGHT; i++) {
            assertThat(window.admits()).isTrue();
            window.batchStarted();
        }
    }

    @Test
    void noConnectionIsAdmittedWhileTheWindowIsFull() {
        fill();
        assertThat(window.admits()).isFalse();
        window.batchCompleted();
        assertThat(window.admits()).isTrue();
    }

    @Test
    void waitingConnectionsAreCalledInOrder() {
        fill();
        window.await(() -> called.add("a"));
        window.await(() -> called.add("b"));
        window.batchCompleted();
        assertThat(window.admits()).as("others have waited longer").isFalse();
        window.admitNext();
        assertThat(called).containsExactly("a", "b");
        assertThat(window.admits()).isTrue();
    }

    @Test
    void connectionsAreCalledOnlyWhileTheWindowIsOpen() {
        fill();
        window.await(() -> {
            assertThat(window.admits()).as("this connection was called").isTrue();
            called.add("a");
            window.batchStarted();
        });
        window.await(() -> called.add("b"));
        window.batchCompleted();
        window.admitNext();
        assertThat(called).containsExactly("a");
        window.batchCompleted();
        window.admitNext();
        assertThat(called).containsExactly("a", "b");
    }

    @Test
    void connectionWithMoreToSendQueuesBehindTheOthers() {
        fill();
        window.await(() -> {
            called.add("a");
            window.await(() -> called.add("a again"));
        });
        window.await(() -> called.add("b"));
        window.batchCompleted();
        window.admitNext();
        assertThat(called).containsExactly("a", "b");
        window.admitNext();
        assertThat(called).containsExactly("a", "b", "a again");
    }

    @Test
    void failingConnectionDoesNotKeepTheOthersWaiting() {
        fill();
        window.await(() -> {
            throw new IllegalStateException("planted");
        });
        window.await(() -> called.add("b"));
        window.batchCompleted();
        window.admitNext();
        assertThat(called).containsExactly("b");
    }

    @Test
    void connectionThatStopsWaitingIsNotCalled() {
        fill();
        Runnable second = () -> called.add("b");
        window.await(() -> {
            called.add("a");
            window.cancelAwait(second);
        });
        window.await(second);
        window.batchCompleted();
        window.admitNext();
        assertThat(called).containsExactly("a");
        assertThat(window.admits()).isTrue();
    }

    @Test
    void windowLastsUntilTheLastConnectionLeaves() {
        SharedSendWindow.Registry windows = new SharedSendWindow.Registry();
        SharedSendWindow first = windows.join(7);
        assertThat(windows.join(7)).isSameAs(first);
        assertThat(windows.join(8)).isNotSameAs(first);
        windows.leave(7);
        windows.leave(8);
        assertThat(windows.size()).isEqualTo(1);
        windows.leave(7);
        assertThat(windows.size()).isZero();
    }
}

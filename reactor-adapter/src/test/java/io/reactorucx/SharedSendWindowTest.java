package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.internal.message.SharedSendWindow;
import io.reactorucx.internal.message.SharedSendWindows;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections to one worker share what may be under way, and wait in one line for it. */
class SharedSendWindowTest {

    private final SharedSendWindow room = new SharedSendWindow();
    private final List<String> called = new ArrayList<>();

    private void fill() {
        for (int i = 0; i < SharedSendWindow.MOST_UNDER_WAY; i++) {
            assertThat(room.admits()).isTrue();
            room.keeps();
        }
    }

    @Test
    void nobodyIsAdmittedWhileAsManyAsMayBeAreUnderWay() {
        fill();
        assertThat(room.admits()).isFalse();
        room.hasRoom();
        assertThat(room.admits()).isTrue();
    }

    @Test
    void thoseWhoWaitAreCalledInTheirOrder() {
        fill();
        room.waits(() -> called.add("a"));
        room.waits(() -> called.add("b"));
        room.hasRoom();
        assertThat(room.admits()).as("others have waited longer").isFalse();
        room.next();
        assertThat(called).containsExactly("a", "b");
        assertThat(room.admits()).isTrue();
    }

    @Test
    void theLineGoesOnlyAsFarAsThereIsRoom() {
        fill();
        room.waits(() -> {
            assertThat(room.admits()).as("it has its turn").isTrue();
            called.add("a");
            room.keeps();
        });
        room.waits(() -> called.add("b"));
        room.hasRoom();
        room.next();
        assertThat(called).containsExactly("a");
        room.hasRoom();
        room.next();
        assertThat(called).containsExactly("a", "b");
    }

    @Test
    void whoHasMoreToSendIsTheLastInLine() {
        fill();
        room.waits(() -> {
            called.add("a");
            room.waits(() -> called.add("a again"));
        });
        room.waits(() -> called.add("b"));
        room.hasRoom();
        room.next();
        assertThat(called).containsExactly("a", "b");
        room.next();
        assertThat(called).containsExactly("a", "b", "a again");
    }

    @Test
    void whoFailsDoesNotKeepTheOthersWaiting() {
        fill();
        room.waits(() -> {
            throw new IllegalStateException("planted");
        });
        room.waits(() -> called.add("b"));
        room.hasRoom();
        room.next();
        assertThat(called).containsExactly("b");
    }

    @Test
    void whoWaitsNoMoreIsNotCalled() {
        fill();
        Runnable second = () -> called.add("b");
        room.waits(() -> {
            called.add("a");
            room.waitsNoMore(second);
        });
        room.waits(second);
        room.hasRoom();
        room.next();
        assertThat(called).containsExactly("a");
        assertThat(room.admits()).isTrue();
    }

    @Test
    void aRoomLastsAsLongAsSomebodyIsConnected() {
        SharedSendWindows rooms = new SharedSendWindows();
        SharedSendWindow first = rooms.join(7);
        assertThat(rooms.join(7)).isSameAs(first);
        assertThat(rooms.join(8)).isNotSameAs(first);
        rooms.leave(7);
        rooms.leave(8);
        assertThat(rooms.size()).isEqualTo(1);
        rooms.leave(7);
        assertThat(rooms.size()).isZero();
    }
}

package io.reactorucx;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The operations of one connection that UCX has under way; linked through the operations, on the engine's thread. */
final class OperationList {

    private @Nullable ConnectionOperation<?> head;
    private int size;

    static boolean isLinked(ConnectionOperation<?> operation) {
        return operation.previous != null;
    }

    void add(ConnectionOperation<?> operation) {
        ConnectionOperation<?> second = head;
        operation.next = second;
        operation.previous = operation;
        if (second != null) {
            second.previous = operation;
        }
        head = operation;
        size++;
    }

    void remove(ConnectionOperation<?> operation) {
        ConnectionOperation<?> before = operation.previous == operation ? null : operation.previous;
        ConnectionOperation<?> after = operation.next;
        if (before == null) {
            head = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before == null ? after : before;
        }
        operation.previous = null;
        operation.next = null;
        size--;
    }

    /** Calls for each operation; the action may end any of them. */
    void forEach(Consumer<ConnectionOperation<?>> action) {
        ConnectionOperation<?>[] all = new ConnectionOperation<?>[size];
        int count = 0;
        for (ConnectionOperation<?> each = head; each != null; each = each.next) {
            all[count++] = each;
        }
        for (ConnectionOperation<?> each : all) {
            action.accept(each);
        }
    }

    /** Tag receives belong to the worker: nothing but a cancel ends one, and one that stays would take another connection's message. */
    void endReceives(RuntimeException error, UcpWorker worker) {
        forEach(operation -> {
            if (operation.kind() == OperationKind.TAG_RECEIVE) {
                operation.abandon(error);
                operation.cancelled(worker);
            }
        });
    }

    /** Ends what waits for a peer that is lost, but for what may have arrived already. */
    void endAllButReceives(ConnectionEnd end) {
        forEach(operation -> {
            if (!operation.mayHaveArrived()) {
                operation.abandon(end.reason(operation.kind()));
            }
        });
    }

    /** Whether one is under way that may take as long as the peer's application likes, although the peer is well. */
    boolean waitsForPeer() {
        for (ConnectionOperation<?> each = head; each != null; each = each.next) {
            if (each.kind() == OperationKind.TAG_SEND || each.kind() == OperationKind.TAG_SEND_SYNC) {
                return true;
            }
        }
        return false;
    }

    boolean isEmpty() {
        return head == null;
    }

    /** Whether nothing is under way that has to end before the endpoint may close. */
    boolean isQuiet() {
        for (ConnectionOperation<?> each = head; each != null; each = each.next) {
            if (each.kind() != OperationKind.STREAM_RECEIVE) {
                return false;
            }
        }
        return true;
    }
}

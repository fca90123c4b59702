package io.reactorucx.internal.operation;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The operations of one connection that UCX has under way; linked through the operations, on the engine's thread. */
public final class InFlightOperations {

    private @Nullable OperationSubscription<?> head;
    private int size;

    static boolean isLinked(OperationSubscription<?> operation) {
        return operation.previous != null;
    }

    public void add(OperationSubscription<?> operation) {
        OperationSubscription<?> second = head;
        operation.next = second;
        operation.previous = operation;
        if (second != null) {
            second.previous = operation;
        }
        head = operation;
        size++;
    }

    public void remove(OperationSubscription<?> operation) {
        OperationSubscription<?> before = operation.previous == operation ? null : operation.previous;
        OperationSubscription<?> after = operation.next;
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
    public void forEach(Consumer<OperationSubscription<?>> action) {
        OperationSubscription<?>[] all = new OperationSubscription<?>[size];
        int count = 0;
        for (OperationSubscription<?> each = head; each != null; each = each.next) {
            all[count++] = each;
        }
        for (OperationSubscription<?> each : all) {
            action.accept(each);
        }
    }

    /**
     * Tag receives belong to the worker: nothing but a cancel ends one, and one that stays would take another
     * connection's message.
     */
    public void endReceives(RuntimeException error, UcpWorker worker) {
        forEach(operation -> {
            if (operation.kind() == OperationKind.TAG_RECEIVE) {
                operation.abandon(error);
                operation.cancelled(worker);
            }
        });
    }

    /** Ends what waits for a peer that is lost, but for what may have arrived already. */
    public void endAllButReceives(Function<OperationSubscription<?>, RuntimeException> reason) {
        forEach(operation -> {
            if (!operation.mayHaveArrived()) {
                operation.abandon(reason.apply(operation));
            }
        });
    }

    /** Whether one is under way that may take as long as the peer's application likes, although the peer is well. */
    public boolean waitsForPeer() {
        for (OperationSubscription<?> each = head; each != null; each = each.next) {
            if (each.kind() == OperationKind.TAG_SEND || each.kind() == OperationKind.TAG_SEND_SYNC) {
                return true;
            }
        }
        return false;
    }

    public boolean isEmpty() {
        return head == null;
    }

    /** Whether nothing is under way that has to end before the endpoint may close. */
    public boolean isQuiet() {
        for (OperationSubscription<?> each = head; each != null; each = each.next) {
            if (each.kind() != OperationKind.STREAM_RECEIVE) {
                return false;
            }
        }
        return true;
    }
}

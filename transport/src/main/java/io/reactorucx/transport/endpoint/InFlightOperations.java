package io.reactorucx.transport.endpoint;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one connection that are in flight, as a list that is linked through the operations.
 *
 * <p>Thread: engine.
 */
public final class InFlightOperations {

    private @Nullable InFlightOperation head;
    private int size;

    public void add(InFlightOperation operation) {
        InFlightOperation second = head;
        operation.next = second;
        operation.previous = operation;
        if (second != null) {
            second.previous = operation;
        }
        head = operation;
        size++;
    }

    public void remove(InFlightOperation operation) {
        InFlightOperation before = operation.previous == operation ? null : operation.previous;
        InFlightOperation after = operation.next;
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

    /** Calls an action for each operation. The action may end any of them. */
    public void forEach(Consumer<InFlightOperation> action) {
        InFlightOperation[] all = new InFlightOperation[size];
        int count = 0;
        for (InFlightOperation each = head; each != null; each = each.next) {
            all[count++] = each;
        }
        for (InFlightOperation each : all) {
            action.accept(each);
        }
    }

    /**
     * Fails and cancels tag receives. They belong to the worker: only a cancel ends one, and one that stays posted
     * would take another connection's message.
     *
     * @param worker of such receives
     */
    public void endReceives(RuntimeException error, Supplier<UcpWorker> worker) {
        forEach(operation -> {
            if (operation.kind() == OperationKind.TAG_RECEIVE) {
                operation.abandon(error);
                operation.cancelled(worker.get());
            }
        });
    }

    /** Fails all operations but receives, whose data may have arrived before the peer was lost. */
    public void endAllButReceives(Function<InFlightOperation, RuntimeException> reason) {
        forEach(operation -> {
            if (!operation.mayHaveArrived()) {
                operation.abandon(reason.apply(operation));
            }
        });
    }

    /** Returns whether a tag send is in flight, which may wait for the peer's application to post a receive. */
    public boolean waitsForPeer() {
        for (InFlightOperation each = head; each != null; each = each.next) {
            if (each.kind() == OperationKind.TAG_SEND || each.kind() == OperationKind.TAG_SEND_SYNC) {
                return true;
            }
        }
        return false;
    }

    public boolean isEmpty() {
        return head == null;
    }

    /** Returns whether no operation is in flight that a graceful close waits for. */
    public boolean isQuiet() {
        for (InFlightOperation each = head; each != null; each = each.next) {
            if (each.kind() != OperationKind.STREAM_RECEIVE) {
                return false;
            }
        }
        return true;
    }
}

package io.reactorucx.internal.lease;

import java.util.stream.Collectors;
import reactor.core.Scannable;

/** Names the subscriber or the handler that gets a lease, for the report of a leak. Thread: any. */
public final class ReceiverName {

    private static final String HIDDEN = "io.reactorucx.internal.";

    private ReceiverName() {
    }

    /** Returns the operators of a subscriber, else its class; nothing for a class of this library. */
    public static String of(Object receiver) {
        boolean hidden = receiver.getClass().getName().startsWith(HIDDEN);
        Object behind = hidden && receiver instanceof Scannable own ? own.scanUnsafe(Scannable.Attr.ACTUAL) : null;
        if (hidden && behind == null) {
            return "";
        }
        Object named = behind == null ? receiver : behind;
        String name = named.getClass().getName();
        try {
            Scannable scannable = Scannable.from(named);
            return scannable.isScanAvailable() ? scannable.steps().collect(Collectors.joining(" | ")) : name;
        } catch (RuntimeException e) {
            // A subscriber of the application may be scannable, and throw.
            return name;
        }
    }
}

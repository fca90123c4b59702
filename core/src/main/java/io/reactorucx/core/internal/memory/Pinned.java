package io.reactorucx.core.internal.memory;

import org.jspecify.annotations.Nullable;

/** A resource that must not be closed while an operation uses it. */
public interface Pinned {

    void pin();

    void unpin();

    /** The operation was abandoned and will never end: the resource may be closed, but has to stay mapped. */
    default void abandon() {
    }

    static Pinned both(Pinned first, @Nullable Pinned second) {
        if (second == null) {
            return first;
        }
        return new Pinned() {
            @Override
            public void pin() {
                second.pin();
                try {
                    first.pin();
                } catch (RuntimeException e) {
                    second.unpin();
                    throw e;
                }
            }

            @Override
            public void unpin() {
                first.unpin();
                second.unpin();
            }

            @Override
            public void abandon() {
                first.abandon();
                second.abandon();
            }
        };
    }
}

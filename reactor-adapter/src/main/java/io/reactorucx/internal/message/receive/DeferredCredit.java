package io.reactorucx.internal.message.receive;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Streams whose credit is checked once, after the batch that is being applied, instead of after each of its messages.
 *
 * <p>Thread: engine.
 */
public final class DeferredCredit {

    private final List<InboundStream> streams = new ArrayList<>();
    private @Nullable InboundStream last;

    void add(InboundStream stream) {
        if (stream != last) {
            last = stream;
            streams.add(stream);
        }
    }

    /** The batch was applied. */
    public void check() {
        for (int i = 0; i < streams.size(); i++) {
            streams.get(i).creditChanged();
        }
        streams.clear();
        last = null;
    }
}

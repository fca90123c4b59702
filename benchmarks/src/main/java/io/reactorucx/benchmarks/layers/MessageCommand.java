package io.reactorucx.benchmarks.layers;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Command;
import org.jspecify.annotations.Nullable;

/** Sends one message from an engine's worker to itself at each run. */
final class MessageCommand implements Command {

    private final boolean tags;
    private @Nullable SelfMessages messages;

    MessageCommand(boolean tags) {
        this.tags = tags;
    }

    @Override
    public void run(UcpWorker worker) {
        SelfMessages ofWorker = messages;
        if (ofWorker == null) {
            ofWorker = new SelfMessages(worker, tags);
            messages = ofWorker;
        }
        ofWorker.send();
    }

    @Override
    public void reject(RuntimeException cause) {
        throw cause;
    }

    boolean hasArrived() {
        return messages != null && messages.hasArrived();
    }

    void close(Runnable step) {
        if (messages != null) {
            messages.close(step);
        }
    }
}

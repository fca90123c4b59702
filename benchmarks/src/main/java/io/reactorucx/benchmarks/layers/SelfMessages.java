package io.reactorucx.benchmarks.layers;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Sends messages of 8 bytes from a worker to itself. Thread: the worker's. */
final class SelfMessages {

    private static final int ID = 1;
    private static final long TAG = 1;

    private final MemorySegment sent = Arena.global().allocate(Long.BYTES);
    private final MemorySegment received = Arena.global().allocate(Long.BYTES);
    private final boolean tags;
    private final UcpWorker worker;
    private final UcpEndpoint endpoint;
    private final Completion ignored = (status, length, tag) -> { };
    private final Completion arrival = (status, length, tag) -> arrived = true;
    private boolean arrived;

    SelfMessages(UcpWorker worker, boolean tags) {
        this.worker = worker;
        this.tags = tags;
        this.endpoint = worker.connect(worker.address(), new EndpointOptions(ErrorMode.NONE, "itself",
                (failed, status) -> { }));
        worker.activeMessages().handler(ID, message -> arrived = true);
    }

    void send() {
        arrived = false;
        if (tags) {
            worker.tags().receive(received, null, TAG, -1, arrival);
            endpoint.tagSend(sent, null, TAG, ignored);
        } else {
            endpoint.amSend(ID, MemorySegment.NULL, sent, null, AmProtocol.AUTO, false, ignored);
        }
    }

    boolean hasArrived() {
        return arrived;
    }

    void close(Runnable step) {
        boolean[] closed = {false};
        closed[0] = endpoint.close(CloseMode.FLUSH, (status, length, tag) -> closed[0] = true);
        while (!closed[0]) {
            step.run();
        }
    }
}

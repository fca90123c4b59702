package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxConnection;
import io.reactorucx.benchmarks.turns.TurnRecorder;
import io.reactorucx.buffer.UcxBuffer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/** Sends as many messages as the server requests, from a source that never runs out. */
public final class MessageFlood extends Load {

    /** Messages between two readings of the clock, as in the peers' programs. */
    private static final int CLOCK_MASK = 63;

    private final byte @Nullable [] small;
    private final @Nullable Payloads payloads;
    private final int clockMask;
    private int next;
    private long deadlineNanos;

    public MessageFlood(UcxConnection connection, int size, Payloads payloads) {
        super(connection);
        this.small = Payloads.isSmall(size) ? new byte[size] : null;
        this.payloads = small == null ? payloads : null;
        this.clockMask = small == null ? 0 : CLOCK_MASK;
    }

    /**
     * Sends for as long as the connection lives. Where it ends earlier, the receiver sees that.
     *
     * @param connection whose outbound sends
     * @param size bytes of a message
     * @param payloads of large messages
     */
    public static void withoutEnd(UcxConnection connection, int size, Payloads payloads) {
        MessageFlood flood = new MessageFlood(connection, size, payloads);
        connection.scheduler().schedule(() -> flood.start(System.nanoTime(), Long.MAX_VALUE >> 1));
    }

    @Override
    public void start(long nowNanos, long nanos) {
        deadlineNanos = nowNanos + nanos;
        Mono<Void> sending;
        if (small != null) {
            sending = connection().outbound().sendByteArrays(Flux.generate(sink -> generate(sink, small)));
        } else {
            sending = connection().outbound().send(Flux.<UcxBuffer>generate(this::generate));
        }
        sending.subscribe(new Signals<>(this::failed) {
            @Override
            public void onComplete() {
                finished();
            }
        });
    }

    private void generate(SynchronousSink<UcxBuffer> sink) {
        if (payloads != null && !isOver()) {
            sink.next(payloads.toSend(next++ & Integer.MAX_VALUE));
        } else {
            sink.complete();
        }
    }

    private void generate(SynchronousSink<byte[]> sink, byte[] message) {
        if (isOver()) {
            sink.complete();
        } else {
            sink.next(message);
        }
    }

    private boolean isOver() {
        if ((operations() & clockMask) == 0 && isOverAt(System.nanoTime())) {
            return true;
        }
        count(0);
        return false;
    }

    private boolean isOverAt(long now) {
        TurnRecorder turns = turns();
        if (turns != null) {
            turns.operations(clockMask + 1L, now);
        }
        return now - deadlineNanos >= 0 || turns != null && turns.isOver();
    }
}

package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import java.util.function.Consumer;

/** Receives bytes of a stream and runs a callback each time that the bytes of an operation have arrived. */
public final class StreamArrivals extends Signals<UcxBuffer> {

    private static final int MAX_BYTES = 1 << 20;

    private final int size;
    private final Runnable whenArrived;
    private long bytes;

    private StreamArrivals(int size, Runnable whenArrived, Consumer<Throwable> whenFailed) {
        super(whenFailed);
        this.size = size;
        this.whenArrived = whenArrived;
    }

    public static void subscribe(UcxConnection connection, int size, Runnable whenArrived,
            Consumer<Throwable> whenFailed) {
        connection.streams().receive(Math.min(size, MAX_BYTES)).subscribe(new StreamArrivals(size, whenArrived,
                whenFailed));
    }

    @Override
    public void onNext(UcxBuffer part) {
        bytes += part.length();
        part.release();
        while (bytes >= size) {
            bytes -= size;
            whenArrived.run();
        }
    }
}

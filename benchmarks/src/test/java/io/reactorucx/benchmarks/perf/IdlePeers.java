package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** Prints the share of a processor that two idle connected sides in one process use. */
final class IdlePeers {

    static final String SHARE = "share ";
    /** Largest share of a processor, for the engines of both sides together. */
    static final double MOST = 0.01;
    /**
     * Measures repeatedly, until the share of a window is below {@link #MOST}: after its start the JVM compiles and
     * collects garbage for some time.
     */
    static final int WINDOWS = 3;

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private IdlePeers() {
    }

    public static void main(String[] args) throws InterruptedException {
        UcxResources ours = UcxResources.create();
        UcxResources theirs = UcxResources.create();
        UcxBoundServer server = UcxServer.create(theirs).handle(connection -> Mono.never()).bindNow();
        UcxConnection connection = UcxClient.create(ours).remoteAddress("127.0.0.1", server.port()).connectNow();
        double least = Double.MAX_VALUE;
        for (int i = 0; i < WINDOWS && least >= MOST; i++) {
            least = Math.min(least, shareOfAWindow());
        }
        if (connection.isDisposed()) {
            throw new AssertionError("the connection did not last");
        }
        System.out.println(SHARE + least);
        ours.disposeNow();
        theirs.disposeNow();
    }

    private static double shareOfAWindow() throws InterruptedException {
        long begun = System.nanoTime();
        ProcessUse before = ProcessUse.now(Set.of());
        TimeUnit.NANOSECONDS.sleep(WINDOW_NANOS);
        return ProcessUse.now(Set.of()).since(before).cpuNanos() / (double) (System.nanoTime() - begun);
    }
}

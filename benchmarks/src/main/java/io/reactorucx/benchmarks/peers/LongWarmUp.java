package io.reactorucx.benchmarks.peers;

import io.reactorucx.benchmarks.WarmUp;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** A warm-up that goes on while the client's JVM compiles; the server's has as many calls to compile for. */
final class LongWarmUp {

    /** So many times the usual warm-up at most, as for ours. */
    private static final int LONGEST = 8;

    /** Something like the measurement. */
    interface Part {

        void run(long nanos) throws Exception;
    }

    private LongWarmUp() {
    }

    static void run(PeerOptions options, Part part) throws Exception {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        WarmUp warmUp = new WarmUp((long) LONGEST * options.warmupParts());
        while (options.warmupParts() > 0 && warmUp.goesOn()) {
            long start = System.nanoTime();
            long compiled = compiler.getTotalCompilationTime();
            part.run(options.warmupPartNanos());
            warmUp.ended(System.nanoTime() - start,
                    TimeUnit.MILLISECONDS.toNanos(compiler.getTotalCompilationTime() - compiled));
        }
    }
}

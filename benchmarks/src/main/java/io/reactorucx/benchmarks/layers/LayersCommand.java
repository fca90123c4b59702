package io.reactorucx.benchmarks.layers;

import com.google.gson.JsonObject;
import com.sun.management.ThreadMXBean;
import io.reactorucx.benchmarks.WarmUp;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures what a worker that sends to itself allocates on the Java heap, alone or in an engine. */
@Command(name = "layers", hidden = true, description = "What core and engine allocate for a message.")
public final class LayersCommand implements Callable<Integer> {

    private static final int BETWEEN_CLOCKS = 256;

    @Parameters(index = "0", description = "core or engine")
    private String layer = "";
    @Parameters(index = "1", description = "am or tag")
    private String test = "";
    @Option(names = "--seconds")
    private double seconds = 1;
    @Option(names = "--warmup-seconds")
    private double warmupSeconds = 1;

    @Override
    public Integer call() {
        try (SelfLoop loop = SelfLoop.of(layer, test)) {
            System.out.println(measure(loop::message));
        }
        return 0;
    }

    private String measure(Runnable message) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int part = 0; part < WarmUp.PARTS && warmupSeconds > 0; part++) {
            run(message, warmupSeconds / WarmUp.PARTS);
        }
        long start = System.nanoTime();
        long before = threads.getCurrentThreadAllocatedBytes();
        long messages = run(message, seconds);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        double nanos = System.nanoTime() - start;
        JsonObject json = new JsonObject();
        json.addProperty("who", "reactor-ucx " + layer);
        json.addProperty("test", test);
        json.addProperty("operations", messages);
        json.addProperty("seconds", nanos / TimeUnit.SECONDS.toNanos(1));
        json.addProperty("mean_ns", nanos / messages);
        json.addProperty("alloc_bytes_per_op", allocated / (double) messages);
        return json.toString();
    }

    private static long run(Runnable message, double seconds) {
        long end = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        long messages = 0;
        do {
            for (int i = 0; i < BETWEEN_CLOCKS; i++) {
                message.run();
            }
            messages += BETWEEN_CLOCKS;
        } while (System.nanoTime() - end < 0);
        return messages;
    }
}

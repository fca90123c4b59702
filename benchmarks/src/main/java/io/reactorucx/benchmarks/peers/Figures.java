package io.reactorucx.benchmarks.peers;

import com.google.gson.JsonObject;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The figures of a client, in the form of {@code perf}.
 *
 * @param options the options of the measurement
 * @param operations number of operations in the measured time
 * @param nanos the measured time
 * @param histogram times of the operations in nanoseconds; empty where they were not timed
 * @param oneWay whether a latency is half of what the histogram holds
 * @param use the resources used
 */
record Figures(PeerOptions options, long operations, long nanos, Histogram histogram, boolean oneWay, ResourceUse use) {

    String json(String who) {
        JsonObject json = new JsonObject();
        json.addProperty("who", who);
        json.addProperty("test", options.test());
        json.addProperty("mode", options.mode());
        json.addProperty("transport", options.tcp() ? "tcp" : "shm");
        json.addProperty("error_mode", options.errorMode());
        json.addProperty("size", options.size());
        json.addProperty("window", options.is("latency") ? 1 : options.window());
        json.addProperty("connections", options.connections());
        json.addProperty("rate", options.rate());
        json.addProperty("operations", operations);
        double seconds = nanos / (double) TimeUnit.SECONDS.toNanos(1);
        json.addProperty("seconds", seconds);
        if (histogram.getTotalCount() > 0) {
            double share = oneWay ? 0.5 : 1;
            json.addProperty("one_way", oneWay);
            json.addProperty("p50_ns", histogram.getValueAtPercentile(50) * share);
            json.addProperty("p90_ns", histogram.getValueAtPercentile(90) * share);
            json.addProperty("p99_ns", histogram.getValueAtPercentile(99) * share);
            json.addProperty("p999_ns", histogram.getValueAtPercentile(99.9) * share);
            json.addProperty("p9999_ns", histogram.getValueAtPercentile(99.99) * share);
            json.addProperty("max_ns", histogram.getMaxValue() * share);
            json.addProperty("mean_ns", histogram.getMean() * share);
        }
        json.addProperty("messages_per_second", operations / seconds);
        json.addProperty("bytes_per_second", operations * (double) options.size() / seconds);
        json.addProperty("alloc_bytes_per_op", use.allocatedBytes() / (double) Math.max(operations, 1));
        json.addProperty("cpu_ns_per_op", use.cpuNanos() / (double) Math.max(operations, 1));
        return json.toString();
    }
}

package io.reactorucx.examples.netty;

import io.reactorucx.examples.Figure;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * The turns of a case over both transports. A figure is the median of its turns, a ratio the median of the ratios of
 * two turns in a row.
 *
 * @param workload the case
 * @param kernel the turns over the kernel's TCP
 * @param ucx those over UCX, each of which followed that of the same number
 */
record Comparison(Workload workload, List<Turn> kernel, List<Turn> ucx) {

    private static final double MEDIAN = 50;
    private static final double TAIL = 99;

    void print(PrintStream out) {
        line(out, "", kernel.getFirst().channel(), ucx.getFirst().channel(), "ratio");
        if (workload.bulk()) {
            figures(out, "each way", turn -> perSecond(turn) * workload.protocol().bytes(), Figure::bytesPerSecond);
        } else {
            figures(out, "p50", turn -> turn.sample().times().getValueAtPercentile(MEDIAN), Figure::nanos);
            figures(out, "p99", turn -> turn.sample().times().getValueAtPercentile(TAIL), Figure::nanos);
        }
        figures(out, "calls", Comparison::perSecond, Figure::perSecond);
        figures(out, "CPU of a call", turn -> (double) turn.cpuNanos() / turn.sample().calls(), Figure::nanos);
        line(out, "bytes over UCX", bytes(kernel), bytes(ucx), "");
    }

    private static double perSecond(Turn turn) {
        return turn.sample().calls() * (double) TimeUnit.SECONDS.toNanos(1) / turn.sample().nanos();
    }

    private void figures(PrintStream out, String name, ToDoubleFunction<Turn> figure, DoubleFunction<String> text) {
        double[] kernels = kernel.stream().mapToDouble(figure).toArray();
        double[] ours = ucx.stream().mapToDouble(figure).toArray();
        double[] ratios = new double[ours.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ours[i] / kernels[i];
        }
        line(out, name, text.apply(median(kernels)), text.apply(median(ours)), ratios(ratios));
    }

    private static String ratios(double[] ratios) {
        Arrays.sort(ratios);
        return String.format(Locale.ROOT, "%.2fx (%.2f .. %.2f)", median(ratios), ratios[0],
                ratios[ratios.length - 1]);
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static String bytes(List<Turn> turns) {
        long sent = turns.stream().mapToLong(Turn::sentBytes).sum();
        long received = turns.stream().mapToLong(Turn::receivedBytes).sum();
        return sent == 0 && received == 0 ? "none" : Figure.bytes(sent) + ", " + Figure.bytes(received);
    }

    private void line(PrintStream out, String name, String ofKernel, String ofUcx, String ratio) {
        out.println(String.format(Locale.ROOT, "%-10s %-15s %18s %18s  %s", workload.name(), name, ofKernel, ofUcx,
                ratio).stripTrailing());
    }
}

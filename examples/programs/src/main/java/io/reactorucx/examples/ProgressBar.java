package io.reactorucx.examples;

import java.io.Console;
import java.util.Locale;

/** Shows progress as a bar on a terminal, and nothing elsewhere. */
final class ProgressBar {

    private static final int WIDTH = 40;
    private static final long REDRAW_NANOS = 100_000_000;

    private final String label;
    private final long total;
    private final boolean shown;
    private final long startNanos = System.nanoTime();
    private long drawnNanos;
    private long done;

    ProgressBar(String label, long total) {
        this.label = label;
        this.total = total;
        Console console = System.console();
        this.shown = console != null && console.isTerminal();
    }

    synchronized void advance(long bytes) {
        done += bytes;
        long now = System.nanoTime();
        if (shown && (now - drawnNanos > REDRAW_NANOS || done >= total)) {
            drawnNanos = now;
            int filled = total == 0 ? WIDTH : (int) (WIDTH * done / total);
            System.out.printf(Locale.ROOT, "\r  %-12s [%s%s] %5.1f %%  %s ", label, "#".repeat(filled),
                    " ".repeat(WIDTH - filled), total == 0 ? 100.0 : 100.0 * done / total,
                    Figure.bytesPerSecond(done * 1e9 / Math.max(1.0, now - startNanos)));
            if (done >= total) {
                System.out.println();
            }
        }
    }
}

package io.reactorucx.examples.doctor.facts;

import java.util.Locale;

/** Formats a number of bytes with its unit. */
public record ByteSize(long bytes) {

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
    private static final double STEP = 1024;

    @Override
    public String toString() {
        if (bytes == Long.MAX_VALUE) {
            return "unlimited";
        }
        double value = bytes;
        int unit = 0;
        while (value >= STEP && unit < UNITS.length - 1) {
            value /= STEP;
            unit++;
        }
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
    }
}

package io.reactorucx.examples;

import java.util.Locale;

/** Figures for people: three significant digits, with the unit that fits their size. */
public final class Figure {

    private static final String[] SCALE = {"", "k", "M", "G", "T"};
    private static final String[] TIMES = {"ns", "us", "ms", "s"};
    private static final int DIGITS = 3;

    private Figure() {
    }

    /**
     * An amount of data.
     *
     * @param bytes the amount
     * @return such as {@code 146 MB}
     */
    public static String bytes(double bytes) {
        return scaled(bytes, SCALE, "B");
    }

    /**
     * A rate of data.
     *
     * @param bytes the amount in a second
     * @return such as {@code 1.21 GB/s}
     */
    public static String bytesPerSecond(double bytes) {
        return scaled(bytes, SCALE, "B/s");
    }

    /**
     * A rate of operations.
     *
     * @param operations their number in a second
     * @return such as {@code 512 k/s}
     */
    public static String perSecond(double operations) {
        return scaled(operations, SCALE, "/s");
    }

    /** A number of operations, such as {@code 1.03 M}. */
    static String count(double operations) {
        return scaled(operations, SCALE, "").strip();
    }

    /**
     * A time.
     *
     * @param nanos the time in nanoseconds
     * @return such as {@code 1.38 us}
     */
    public static String nanos(double nanos) {
        return scaled(nanos, TIMES, "");
    }

    private static String scaled(double value, String[] prefixes, String unit) {
        int scale = 0;
        double left = value;
        // 999.5 would be written with four digits.
        while (left >= 999.5 && scale < prefixes.length - 1) {
            left /= 1000;
            scale++;
        }
        boolean whole = scale == 0 && left == Math.rint(left);
        int fraction = whole ? 0 : Math.clamp(DIGITS - digitsBeforePoint(left), 0, DIGITS - 1);
        return String.format(Locale.ROOT, "%." + fraction + "f %s%s", left, prefixes[scale], unit);
    }

    private static int digitsBeforePoint(double value) {
        // Rounded to two fractional digits first, so that 9.999 counts as 10.0.
        return value < 9.995 ? 1 : value < 99.95 ? 2 : 3;
    }
}

package io.reactorucx.benchmarks.report;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of two runs, row by row.
 *
 * <p>Threading: for one thread. Ownership: nothing stays open. Errors: {@link IOException} for a file that is not
 * {@code bench}'s.
 */
public final class SideBySide {

    private static final String LINE = "%-32s %10s %10s  %10s %10s  %-22s %s%n";

    private SideBySide() {
    }

    /**
     * Prints both, with the machines first.
     *
     * @param here the file of a run
     * @param there the file of another
     * @param out the stream for the lines
     * @throws IOException when a file cannot be read
     */
    public static void print(Path here, Path there, PrintStream out) throws IOException {
        Run ours = Run.of(here);
        Run other = Run.of(there);
        out.println("here:  " + ours.circumstances());
        out.println("there: " + other.circumstances());
        out.printf(LINE, "case", "ours here", "there", "theirs", "there", "ratio here", "there");
        Map<String, JsonObject> rows = new LinkedHashMap<>();
        other.rows().forEach(row -> rows.put(row.get("case").getAsString(), row));
        for (JsonObject row : ours.rows()) {
            JsonObject same = rows.remove(row.get("case").getAsString());
            line(row.get("case").getAsString(), row, same, out);
        }
        rows.forEach((name, row) -> line(name, null, row, out));
    }

    private static void line(String name, @Nullable JsonObject here, @Nullable JsonObject there, PrintStream out) {
        out.printf(LINE, name, figure(here, "ours"), figure(there, "ours"), figure(here, "theirs"),
                figure(there, "theirs"), ratio(here), ratio(there));
    }

    private static String figure(@Nullable JsonObject row, String field) {
        return row == null || !row.has(field) ? "-"
                : MarkdownTable.text(row.get("metric").getAsString(), row.get(field).getAsDouble());
    }

    private static String ratio(@Nullable JsonObject row) {
        return row == null || !row.has("theirs") ? "-" : MarkdownTable.times(row.get("ratio").getAsDouble()) + " ("
                + MarkdownTable.times(row.get("lowest").getAsDouble()) + " .. "
                + MarkdownTable.times(row.get("highest").getAsDouble()) + ")";
    }
}

package io.reactorucx.benchmarks.report;

import io.reactorucx.benchmarks.HelpOption;
import io.reactorucx.benchmarks.ModuleFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Draws the charts and writes the tables of the documentation. */
@Command(name = "charts", description = "Draws the charts of docs/notes/charts from the figures of bench --sweep, and"
        + " writes the results in docs/notes/performance.md from the figures of bench, with the charts that exist."
        + " Keeps what has no figures as it is.")
public final class ChartsCommand implements Callable<Integer> {

    static final Part RESULTS = new Part("Results", "<!-- bench: written by ./run charts -->", "<!-- /bench -->");
    static final Part CHARTS = new Part("Charts", "<!-- charts: written by ./run charts -->", "<!-- /charts -->");

    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--sweep", paramLabel = "FILE", description = "Figures of the charts, by default sweep.json in"
            + " benchmarks/target.")
    private @Nullable Path sweep;
    @Option(names = "--bench", paramLabel = "FILE", description = "Figures of the tables, by default bench.json in"
            + " benchmarks/target.")
    private @Nullable Path bench;
    @Option(names = "--out", paramLabel = "DIR", description = "Folder of the charts, by default docs/notes/charts.")
    private @Nullable Path out;
    @Option(names = "--document", paramLabel = "FILE", description = "Document of the tables,"
            + " docs/notes/performance.md by default.")
    private @Nullable Path document;

    @Override
    public Integer call() throws IOException {
        Path target = ModuleFolder.path().resolve("target");
        Path notes = ModuleFolder.path().resolveSibling("docs").resolve("notes");
        Path charts = out != null ? out : notes.resolve("charts");
        Path text = document != null ? document : notes.resolve("performance.md");
        boolean any = draw(sweep != null ? sweep : target.resolve("sweep.json"), charts, text);
        any |= write(bench != null ? bench : target.resolve("bench.json"), text);
        if (!any) {
            System.err.println("charts: FAILED: neither sweep.json nor bench.json exists; ./run bench --sweep and"
                    + " ./run bench write them");
        }
        return any ? 0 : 1;
    }

    private static boolean draw(Path file, Path folder, Path document) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        if (!SvgChart.hasFonts()) {
            throw new IOException("no fonts for the charts: 'sudo apt-get install fontconfig fonts-dejavu-core' or the"
                    + " like");
        }
        Run run = Run.of(file);
        Files.createDirectories(folder);
        for (ChartKind kind : ChartKind.values()) {
            Map<String, Map<Double, Double>> lines = kind.lines(run);
            if (!lines.isEmpty()) {
                Files.writeString(folder.resolve(kind.file()), SvgChart.draw(kind, lines));
                System.out.println(folder.resolve(kind.file()));
            }
        }
        replace(document, CHARTS, run.circumstances() + "\n" + images(folder, document));
        return true;
    }

    private static String images(Path charts, Path document) {
        StringBuilder images = new StringBuilder();
        Path folder = document.toAbsolutePath().resolveSibling(".").normalize();
        for (ChartKind kind : ChartKind.values()) {
            Path chart = charts.resolve(kind.file()).toAbsolutePath();
            if (Files.exists(chart)) {
                images.append("\n![").append(kind.title()).append("](").append(folder.relativize(chart)).append(")\n");
            }
        }
        return images.toString();
    }

    private static boolean write(Path file, Path document) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        replace(document, RESULTS, MarkdownTable.of(Run.of(file)));
        return true;
    }

    private static void replace(Path document, Part part, String text) throws IOException {
        Files.writeString(document, part.replaced(Files.readString(document), text));
        System.out.println(document);
    }

    /** The lines of a document that a run writes, between two marks. */
    record Part(String title, String begin, String end) {

        /** {@return a document with a new text between the marks; at its end when it has no marks} */
        String replaced(String document, String text) {
            int from = document.indexOf(begin);
            int to = document.indexOf(end, Math.max(from, 0));
            if (from < 0 != to < 0) {
                throw new IllegalArgumentException("the document has one of the lines " + begin + " and " + end
                        + " only");
            }
            String before = from < 0 ? document.stripTrailing() + "\n\n## " + title + "\n\n"
                    : document.substring(0, from);
            return before + begin + "\n\n" + text + "\n" + (to < 0 ? end + "\n" : document.substring(to));
        }
    }
}

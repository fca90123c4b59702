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
@Command(name = "charts", description = "Draws the charts of docs/charts from the figures of bench --sweep, and writes"
        + " the results in docs/performance.md from the figures of bench, with the charts that exist. Keeps what has"
        + " no figures as it is.")
public final class ChartsCommand implements Callable<Integer> {

    static final String BEGIN = "<!-- bench: written by ./run charts -->";
    static final String END = "<!-- /bench -->";

    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--sweep", paramLabel = "FILE", description = "Figures of the charts, by default sweep.json in"
            + " benchmarks/target.")
    private @Nullable Path sweep;
    @Option(names = "--bench", paramLabel = "FILE", description = "Figures of the tables, by default bench.json in"
            + " benchmarks/target.")
    private @Nullable Path bench;
    @Option(names = "--out", paramLabel = "DIR", description = "Folder of the charts, by default docs/charts.")
    private @Nullable Path out;
    @Option(names = "--document", paramLabel = "FILE", description = "Document of the tables, by default"
            + " docs/performance.md.")
    private @Nullable Path document;

    @Override
    public Integer call() throws IOException {
        Path target = ModuleFolder.path().resolve("target");
        Path docs = ModuleFolder.path().resolveSibling("docs");
        Path charts = out != null ? out : docs.resolve("charts");
        boolean any = draw(sweep != null ? sweep : target.resolve("sweep.json"), charts);
        any |= write(bench != null ? bench : target.resolve("bench.json"), charts,
                document != null ? document : docs.resolve("performance.md"));
        if (!any) {
            System.err.println("charts: FAILED: neither sweep.json nor bench.json exists; ./run bench --sweep and"
                    + " ./run bench write them");
        }
        return any ? 0 : 1;
    }

    private static boolean draw(Path file, Path folder) throws IOException {
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
        return true;
    }

    private static boolean write(Path file, Path charts, Path document) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        StringBuilder results = new StringBuilder(MarkdownTable.of(Run.of(file)));
        Path folder = document.toAbsolutePath().resolveSibling(".").normalize();
        for (ChartKind kind : ChartKind.values()) {
            Path chart = charts.resolve(kind.file()).toAbsolutePath();
            if (Files.exists(chart)) {
                results.append("\n![").append(kind.title()).append("](").append(folder.relativize(chart)).append(")\n");
            }
        }
        Files.writeString(document, replaced(Files.readString(document), results.toString()));
        System.out.println(document);
        return true;
    }

    /** {@return a document with new results between the marks; at its end when it has no marks} */
    static String replaced(String document, String results) {
        int begin = document.indexOf(BEGIN);
        int end = document.indexOf(END, Math.max(begin, 0));
        if (begin < 0 != end < 0) {
            throw new IllegalArgumentException("the document has one of the lines " + BEGIN + " and " + END + " only");
        }
        String before = begin < 0 ? document.stripTrailing() + "\n\n## Results\n\n" : document.substring(0, begin);
        return before + BEGIN + "\n\n" + results + "\n" + (end < 0 ? END + "\n" : document.substring(end));
    }
}

package io.reactorucx.benchmarks.report;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Draws the charts and writes the tables of the documentation. */
@Command(name = "charts", mixinStandardHelpOptions = true, description = {
    "Draws the charts of docs/charts from what bench --sweep has left, and writes the section of results in docs/performance.md from what",
    "bench has left, with those charts that there are. What is not there is left as it is."})
public final class ChartsCommand implements Callable<Integer> {

    static final String BEGIN = "<!-- bench: written by ./run charts -->";
    static final String END = "<!-- /bench -->";

    @Option(names = "--sweep", paramLabel = "FILE", description = "What to draw from; sweep.json of the benchmarks' target folder by default.")
    private @Nullable Path sweep;
    @Option(names = "--bench", paramLabel = "FILE", description = "What to tabulate; bench.json of the same folder by default.")
    private @Nullable Path bench;
    @Option(names = "--out", paramLabel = "DIR", description = "Where the charts go; docs/charts by default.")
    private @Nullable Path out;
    @Option(names = "--document", paramLabel = "FILE", description = "Where the tables go; docs/performance.md by default.")
    private @Nullable Path document;

    @Override
    public Integer call() throws IOException {
        // This class is in a jar in benchmarks/target/lib, or in the folder benchmarks/target/classes.
        Path code = Path.of(URI.create(ChartsCommand.class.getProtectionDomain().getCodeSource().getLocation().toString()));
        Path target = code.resolve(Files.isDirectory(code) ? ".." : "../..").normalize();
        Path docs = target.resolve("../../docs").normalize();
        Path charts = out != null ? out : docs.resolve("charts");
        boolean any = draw(sweep != null ? sweep : target.resolve("sweep.json"), charts);
        any |= write(bench != null ? bench : target.resolve("bench.json"), charts,
                document != null ? document : docs.resolve("performance.md"));
        if (!any) {
            System.err.println("neither sweep.json nor bench.json: run bench --sweep and bench before");
        }
        return any ? 0 : 1;
    }

    private static boolean draw(Path file, Path folder) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        if (!SvgChart.hasFonts()) {
            throw new IOException("no fonts to draw charts with: 'sudo apt-get install fontconfig fonts-dejavu-core' or the like");
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

    /** {@return a document with other results between their marks, at its end when it has had none} */
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

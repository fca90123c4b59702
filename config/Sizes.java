import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Prints the sizes of the modules: ./run sizes. Generated bindings are left out. A type depends on another one of its
 * package if its text names it; a circle is a set of types of one package that all depend on each other.
 */
final class Sizes {

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\\n]*|\"(\\\\.|[^\"\\\\\\n])*\"",
            Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("\\b(class|interface|enum|record|@interface)\\s+([A-Z]\\w*)");
    private static final int LINE_LIMIT = 500;

    private Sizes() {
    }

    private record Source(Path file, List<String> lines, String code, int commentLines) {

        static Source of(Path file) {
            try {
                String text = Files.readString(file);
                return new Source(file, text.lines().toList(), COMMENT.matcher(text).replaceAll(" "),
                        (int) text.lines().map(String::strip).filter(line -> line.startsWith("*")
                                || line.startsWith("/*") || line.startsWith("//")).count());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        String name() {
            return file.getFileName().toString().replace(".java", "");
        }

        long types() {
            return TYPE.matcher(code).results().map(MatchResult::start).count();
        }

        long codeLines() {
            return lines.stream().filter(line -> !line.isBlank()).count() - commentLines;
        }
    }

    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]);
        System.out.printf("%-28s %9s %7s %14s %6s %8s %7s %8s %9s%n", "module", "files/", "lines", "file p50/90/max",
                "com", "largest", "largest", "files of", "test:main");
        System.out.printf("%-28s %9s %7s %14s %6s %8s %7s %8s %9s%n", "", "types", "", "", "", "package", "circle",
                "495-500", "");
        long all = 0;
        for (Path module : modules(root)) {
            all += print(root, module);
        }
        System.out.printf(Locale.ROOT, "%nmain code without generated bindings: %,d lines%n", all);
    }

    private static List<Path> modules(Path root) throws IOException {
        try (Stream<Path> poms = Files.walk(root, 3)) {
            return poms.filter(path -> path.getFileName().toString().equals("pom.xml")).map(Path::getParent)
                    .filter(module -> Files.isDirectory(module.resolve("src/main/java"))).sorted().toList();
        }
    }

    private static List<Source> sources(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/core/ffi/")
                            && !file.getFileName().toString().endsWith("-info.java")).map(Source::of).toList();
        }
    }

    /** Prints the row of a module, and returns its lines. */
    private static long print(Path root, Path module) throws IOException {
        List<Source> main = sources(module.resolve("src/main/java"));
        long lines = main.stream().mapToLong(source -> source.lines().size()).sum();
        long tests = sources(module.resolve("src/test/java")).stream().mapToLong(source -> source.lines().size()).sum();
        int[] sizes = main.stream().mapToInt(source -> source.lines().size()).sorted().toArray();
        long comments = main.stream().mapToLong(Source::commentLines).sum();
        long code = main.stream().mapToLong(Source::codeLines).sum();
        Map<Path, List<Source>> packages = main.stream().collect(Collectors.groupingBy(source ->
                source.file().getParent(), TreeMap::new, Collectors.toList()));
        int largest = packages.values().stream().mapToInt(List::size).max().orElse(0);
        int circle = packages.values().stream().mapToInt(Sizes::largestCircle).max().orElse(0);
        long full = Arrays.stream(sizes).filter(size -> size >= LINE_LIMIT - 5).count();
        System.out.printf(Locale.ROOT, "%-28s %9s %7d %14s %5.1f%% %8d %7d %8d %9.2f%n", root.relativize(module),
                main.size() + "/" + main.stream().mapToLong(Source::types).sum(), lines,
                at(sizes, 0.5) + "/" + at(sizes, 0.9) + "/" + at(sizes, 1),
                100.0 * comments / Math.max(1, comments + code), largest, circle, full,
                (double) tests / Math.max(1, lines));
        return lines;
    }

    private static int at(int[] sorted, double part) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
    }

    private static int largestCircle(List<Source> types) {
        Map<String, Integer> numbers = new HashMap<>();
        types.forEach(type -> numbers.put(type.name(), numbers.size()));
        List<Set<Integer>> uses = new ArrayList<>();
        Pattern word = Pattern.compile("\\b[A-Z]\\w*");
        for (Source type : types) {
            Set<Integer> named = new HashSet<>();
            word.matcher(type.code()).results().map(MatchResult::group).filter(numbers::containsKey).map(numbers::get)
                    .forEach(named::add);
            named.remove(numbers.get(type.name()));
            uses.add(named);
        }
        List<Set<Integer>> reached = IntStream.range(0, uses.size()).mapToObj(from -> reached(uses, from)).toList();
        return IntStream.range(0, uses.size()).map(from -> (int) reached.get(from).stream()
                .filter(to -> reached.get(to).contains(from)).count()).max().orElse(0);
    }

    private static Set<Integer> reached(List<Set<Integer>> uses, int from) {
        Set<Integer> seen = new HashSet<>();
        Deque<Integer> next = new ArrayDeque<>(Collections.singleton(from));
        while (!next.isEmpty()) {
            for (int to : uses.get(next.pop())) {
                if (seen.add(to)) {
                    next.push(to);
                }
            }
        }
        return seen;
    }
}

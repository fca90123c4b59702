package io.reactorucx.testsupport;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Which package of a module uses which, as a table of Markdown, and as a page shows it between two marks. */
public final class RoomMatrix {

    private static final Path PAGE = Path.of("../docs/spec/architecture.md");

    private RoomMatrix() {
    }

    /**
     * Returns the table: one row for each package, top down; a column for each that is used, in the same order.
     *
     * @param bottomUp the packages
     * @param shortName the name of a package in the table
     */
    public static String of(JavaClasses classes, List<String> bottomUp, UnaryOperator<String> shortName) {
        List<String> down = bottomUp.reversed();
        Map<String, Set<String>> uses = new HashMap<>();
        classes.forEach(type -> type.getDirectDependenciesFromSelf().forEach(to ->
                uses.computeIfAbsent(type.getPackageName(), ignored -> new HashSet<>())
                        .add(to.getTargetClass().getPackageName())));
        StringBuilder rows = new StringBuilder("| uses |");
        down.forEach(name -> rows.append(' ').append(shortName.apply(name)).append(" |"));
        rows.append("\n|---|").repeat("---|", down.size());
        for (String from : down) {
            rows.append("\n| **").append(shortName.apply(from)).append("** |");
            down.forEach(to -> rows.append(from.equals(to) ? " · |"
                    : uses.getOrDefault(from, Set.of()).contains(to) ? " x |" : "  |"));
        }
        return rows.toString();
    }

    /** Returns the table that the page has between two marks of a name. */
    public static String shown(String mark) {
        try {
            return Files.readString(PAGE).split("<!-- " + mark + " -->")[1].strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the names of the top-level types of each package. */
    public static Map<String, List<String>> types(JavaClasses classes) {
        return classes.stream().filter(type -> type.isTopLevelClass() && !type.getName().endsWith("-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName,
                        Collectors.mapping(JavaClass::getSimpleName, Collectors.toList())));
    }

    /**
     * Returns the largest circle of each package: top-level types that all reach each other by what they use within the
     * package.
     */
    public static Map<String, Set<String>> circles(JavaClasses classes) {
        Map<String, Map<String, Set<String>>> uses = new TreeMap<>();
        classes.forEach(type -> {
            Map<String, Set<String>> ofPackage = uses.computeIfAbsent(type.getPackageName(), name -> new TreeMap<>());
            Set<String> used = ofPackage.computeIfAbsent(topLevel(type), name -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream().map(Dependency::getTargetClass).map(RoomMatrix::elementOf)
                    .filter(to -> to.getPackageName().equals(type.getPackageName()))
                    .map(RoomMatrix::topLevel).forEach(used::add);
        });
        Map<String, Set<String>> circles = new TreeMap<>();
        uses.forEach((name, graph) -> circles.put(name, largestCircle(graph)));
        return circles;
    }

    private static JavaClass elementOf(JavaClass type) {
        return type.isArray() ? elementOf(type.getComponentType()) : type;
    }

    private static String topLevel(JavaClass type) {
        String name = type.getName().substring(type.getPackageName().length() + 1);
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static Set<String> largestCircle(Map<String, Set<String>> graph) {
        Map<String, Set<String>> reached = new TreeMap<>();
        graph.keySet().forEach(name -> reached.put(name, reachedFrom(name, graph)));
        Set<String> largest = Set.of();
        for (String name : graph.keySet()) {
            Set<String> circle = reached.get(name).stream()
                    .filter(other -> reached.getOrDefault(other, Set.of()).contains(name))
                    .collect(Collectors.toCollection(TreeSet::new));
            largest = circle.size() > largest.size() ? circle : largest;
        }
        return largest;
    }

    private static Set<String> reachedFrom(String from, Map<String, Set<String>> graph) {
        Set<String> reached = new TreeSet<>();
        Deque<String> toVisit = new ArrayDeque<>(List.of(from));
        while (!toVisit.isEmpty()) {
            for (String next : graph.getOrDefault(toVisit.pop(), Set.of())) {
                if (reached.add(next)) {
                    toVisit.push(next);
                }
            }
        }
        return reached;
    }
}

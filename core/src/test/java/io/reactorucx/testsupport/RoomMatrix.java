package io.reactorucx.testsupport;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
}

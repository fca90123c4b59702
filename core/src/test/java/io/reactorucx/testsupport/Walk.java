package io.reactorucx.testsupport;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The way of one operation through the files of this project, on one thread or on several in turn.
 *
 * <p>It counts entries into methods, not the returns from them: a method of file A that calls one of B, one of A and
 * one of B gives A B A B, and one that calls two methods of B gives A B.
 *
 * @param stacks for each method that was entered, in their order: itself, its caller, the caller's caller and so on
 */
public record Walk(List<List<MethodEntry>> stacks) {

    private static final String CORE = "io.reactorucx.core.";

    /** Copies the list. */
    public Walk {
        stacks = List.copyOf(stacks);
    }

    /** Returns the methods that were entered, as pages name them: {@code File.method}. */
    public List<String> methods() {
        return stacks.stream().map(stack -> stack.getFirst().toString()).toList();
    }

    /** Returns the files in the order of their first visit. */
    public List<String> files() {
        return visits().stream().distinct().toList();
    }

    /** Returns how often the walk came into a file from another one, or from outside. */
    public int crossings() {
        return visits().size();
    }

    /** Returns how often the walk came into a file in which it had been before. */
    public int revisits() {
        return crossings() - files().size();
    }

    /** Returns the part of the walk that is above the module core. */
    public Walk aboveCore() {
        return new Walk(stacks.stream().filter(stack -> !stack.getFirst().type().startsWith(CORE)).toList());
    }

    private List<String> visits() {
        List<String> visits = new ArrayList<>();
        for (List<MethodEntry> stack : stacks) {
            MethodEntry entry = stack.getFirst();
            if (entry.counted() && (visits.isEmpty() || !visits.getLast().equals(entry.file()))) {
                visits.add(entry.file());
            }
        }
        return visits;
    }

    /** Returns the methods below their callers, with those that are too short to count in parentheses. */
    public String tree() {
        return stacks.stream().map(stack -> "  ".repeat(stack.size())
                + (stack.getFirst().counted() ? stack.getFirst() : "(" + stack.getFirst() + ")"))
                .collect(Collectors.joining("\n"));
    }

    /** Returns the counts, with and without core, and the files in their order with the number of visits to each. */
    @Override
    public String toString() {
        Map<String, Integer> perFile = new LinkedHashMap<>();
        visits().forEach(file -> perFile.merge(file, 1, Integer::sum));
        return counts() + ", above core " + aboveCore().counts() + ": " + perFile.entrySet().stream()
                .map(each -> each.getKey() + (each.getValue() > 1 ? " x" + each.getValue() : ""))
                .collect(Collectors.joining(", "));
    }

    private String counts() {
        return files().size() + " files / " + crossings() + " crossings / " + revisits() + " revisits";
    }
}

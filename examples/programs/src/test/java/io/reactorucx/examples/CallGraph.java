package io.reactorucx.examples;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaStaticInitializer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The call graph by full names of methods. A lambda belongs to its enclosing method, a class initializer to the methods
 * that read its static fields.
 *
 * <p>A call of an interface's or a superclass's method leads to each method that overrides it, so that the graph has
 * too many edges rather than too few; the shortest path is the most credible. Everything is sorted, so that results
 * depend on the classes alone.
 */
final class CallGraph {

    private final Map<String, Set<String>> callers = new TreeMap<>();
    private final Map<String, JavaCodeUnit> units = new HashMap<>();

    CallGraph(JavaClasses classes) {
        for (JavaClass type : classes) {
            for (JavaCodeUnit unit : type.getCodeUnits()) {
                units.put(unit.getFullName(), unit);
                unit.getAccessesFromSelf().forEach(access -> edge(unit.getFullName(), called(access)));
            }
            List<JavaMethod> inherited = Stream.concat(type.getAllRawSuperclasses().stream(),
                    type.getAllRawInterfaces().stream()).flatMap(parent -> parent.getMethods().stream()).toList();
            inherited.forEach(method -> inherit(type, method));
        }
    }

    private static String called(JavaAccess<?> access) {
        return access instanceof JavaFieldAccess
                ? access.getTargetOwner().getName() + "." + JavaStaticInitializer.STATIC_INITIALIZER_NAME + "()"
                : access.getTarget().getFullName();
    }

    /**
     * A call of the inherited method may reach the overriding method; a call of a method that the type lacks reaches
     * the inherited one.
     */
    private void inherit(JavaClass type, JavaMethod method) {
        String ofParent = method.getFullName();
        String ofType = type.getName() + ofParent.substring(method.getOwner().getName().length());
        if (type.tryGetMethod(method.getName(), method.getRawParameterTypes().stream().map(JavaClass::getName)
                .toArray(String[]::new)).isPresent()) {
            edge(ofParent, ofType);
        } else if (!method.getModifiers().contains(JavaModifier.ABSTRACT)) {
            edge(ofType, ofParent);
        }
    }

    private void edge(String caller, String called) {
        if (!caller.equals(called)) {
            callers.computeIfAbsent(called, none -> new TreeSet<>()).add(caller);
        }
    }

    /**
     * The nearest methods of a kind that call, directly or indirectly, a static method of some types; empty without
     * such methods.
     */
    List<JavaCodeUnit> nearestCallers(List<String> types, String method, Predicate<JavaCodeUnit> kind) {
        List<String> starts = types.stream().map(type -> type + "." + method + "(").toList();
        Map<String, Integer> distances = new HashMap<>();
        callers.keySet().stream().filter(name -> starts.stream().anyMatch(name::startsWith))
                .forEach(name -> distances.put(name, 0));
        Deque<String> next = new ArrayDeque<>(new TreeSet<>(distances.keySet()));
        Map<String, JavaCodeUnit> found = new TreeMap<>();
        int nearest = Integer.MAX_VALUE;
        while (!next.isEmpty()) {
            String reached = next.remove();
            int distance = distances.get(reached);
            if (distance > nearest) {
                break;
            }
            JavaCodeUnit unit = units.get(reached);
            if (unit != null && distance > 0 && kind.test(unit)) {
                nearest = distance;
                found.put(reached, unit);
                continue;
            }
            for (String caller : callers.getOrDefault(reached, Set.of())) {
                if (distances.putIfAbsent(caller, distance + 1) == null) {
                    next.add(caller);
                }
            }
        }
        return List.copyOf(found.values());
    }
}

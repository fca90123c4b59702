package io.reactorucx.examples;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The classes of all modules, tests included, with queries for the pages under {@code docs}. */
final class CompiledClasses {

    private static final String BINDINGS = "io.reactorucx.core.ffi.";
    private static final List<String> MODULES = List.of("core", "uct", "progress-engine", "transport",
            "reactor-adapter", "examples/programs");
    private static final int MAX_METHODS = 2;

    private final JavaClasses classes;
    private final CallGraph calls;

    private CompiledClasses(JavaClasses classes) {
        this.classes = classes;
        this.calls = new CallGraph(classes);
    }

    static CompiledClasses of(Path root) {
        return new CompiledClasses(new ClassFileImporter().importPaths(folders(root).filter(Files::isDirectory)
                .toList()));
    }

    /** Folders that are missing because only some modules were built. */
    static List<Path> missing(Path root) {
        return folders(root).filter(folder -> !Files.isDirectory(folder)).toList();
    }

    private static Stream<Path> folders(Path root) {
        return MODULES.stream().flatMap(module -> Stream.of(module + "/target/classes",
                module + "/target/test-classes")).map(root::resolve);
    }

    /** The nearest public methods that call a function of C. */
    List<String> callersOf(String function) {
        return nearest(function, CompiledClasses::isPublicApi);
    }

    /** The nearest tests that call a function of C, without those of wrong arguments, which must not reach it. */
    List<String> testsOf(String function) {
        return nearest(function, unit -> isTest(unit) && !unit.getName().startsWith("refuses"));
    }

    private List<String> nearest(String function, Predicate<JavaCodeUnit> kind) {
        return calls.nearestCallers(List.of(BINDINGS + "ucx_h", BINDINGS + "UcpDirect", BINDINGS + "UcpPosts"),
                function, kind).stream()
                .sorted(Comparator.comparing(JavaCodeUnit::getFullName)).map(unit -> unit.getOwner().getSimpleName()
                + "#" + unit.getName()).distinct().limit(MAX_METHODS).toList();
    }

    private static boolean isPublicApi(JavaCodeUnit unit) {
        JavaClass owner = unit.getOwner();
        return unit.getModifiers().contains(JavaModifier.PUBLIC) && owner.getModifiers().contains(JavaModifier.PUBLIC)
                && !owner.getPackageName().endsWith(".ffi") && !owner.getPackageName().contains(".internal")
                && !isOfTests(owner) && unit.isMethod();
    }

    private static boolean isTest(JavaMember member) {
        return isOfTests(member.getOwner()) && member.getAnnotations().stream()
                .anyMatch(annotation -> annotation.getRawType().getSimpleName().endsWith("Test"));
    }

    private static boolean isOfTests(JavaClass type) {
        return type.getSource().orElseThrow().getUri().getPath().contains("/test-classes/");
    }

    /** Returns whether a type or member, {@code Type} or {@code Type#member}, exists outside of the tests. */
    boolean has(String name) {
        return !name.contains("#") ? types(name).anyMatch(type -> !isOfTests(type))
                : members(name).anyMatch(member -> !isOfTests(member.getOwner()));
    }

    /** Returns whether a test {@code Type#method} exists. */
    boolean hasTest(String name) {
        return name.contains("#") && members(name).anyMatch(CompiledClasses::isTest);
    }

    private Stream<JavaMember> members(String name) {
        String[] parts = name.split("#", 2);
        return types(parts[0]).flatMap(type -> type.getAllMembers().stream())
                .filter(member -> member.getName().equals(parts[1]));
    }

    private Stream<JavaClass> types(String name) {
        String inBytecode = name.replace('.', '$');
        return classes.stream().filter(type -> type.getName().endsWith("." + inBytecode));
    }
}

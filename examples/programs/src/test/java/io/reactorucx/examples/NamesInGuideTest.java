package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The prose of README, guide and limits names methods and types that exist; {@link CodeBlocksTest} checks the code. */
@Tag("slow")
class NamesInGuideTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern CODE = Pattern.compile("`([^`/\n]+)`");
    private static final Pattern BLOCK = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern METHOD = Pattern.compile("(?<!new )\\b([a-z]\\w*)\\(");
    private static final Pattern TYPE = Pattern.compile("\\b(Ucx[A-Z]\\w+|[A-Z]\\w+(?=\\.[a-z]))");
    private static final List<Class<?>> OTHERS = List.of(Flux.class, Mono.class, Hooks.class, Schedulers.class,
            Disposable.class, Arena.class, MemorySegment.class, FileChannel.class, Object.class);

    /** Pages that also name the types and methods of other libraries, which are not read here. */
    private static final Set<String> OTHER_LIBRARIES = Set.of("dashboards.md", "interoperation.md", "netty.md",
            "scale-out.md", "spring.md");

    private static Set<String> methods;
    private static Set<String> types;

    @BeforeAll
    static void readApi() {
        var classes = new ClassFileImporter().importPackages("io.reactorucx").stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)).toList();
        methods = classes.stream().flatMap(type -> type.getMethods().stream())
                .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC)).map(JavaMember::getName)
                .collect(Collectors.toCollection(HashSet::new));
        types = classes.stream().map(JavaClass::getSimpleName).collect(Collectors.toCollection(HashSet::new));
        for (Class<?> other : OTHERS) {
            Stream.of(other.getMethods()).map(Method::getName).forEach(methods::add);
            types.add(other.getSimpleName());
        }
    }

    @Test
    void methodsAndTypesExist() throws IOException {
        List<String> unknown = new ArrayList<>();
        int checked = 0;
        for (Path page : pages()) {
            String prose = BLOCK.matcher(Files.readString(page)).replaceAll("");
            for (MatchResult code : CODE.matcher(prose).results().toList()) {
                checked++;
                Stream.concat(missing(code.group(1), METHOD, methods), missing(code.group(1), TYPE, types))
                        .forEach(name -> unknown.add(ROOT.relativize(page) + ": " + name + " in " + code.group()));
            }
        }

        assertThat(unknown).isEmpty();
        assertThat(checked).isGreaterThan(200);
    }

    @Test
    void findsWhatDoesNotExist() {
        assertThat(missing("connection.inbound().recieve()", METHOD, methods)).containsExactly("recieve");
        assertThat(missing("UcxServr.create(resources)", TYPE, types)).containsExactly("UcxServr");
    }

    private static Stream<String> missing(String code, Pattern pattern, Set<String> known) {
        return pattern.matcher(code).results().map(name -> name.group(1)).filter(name -> !known.contains(name));
    }

    private static boolean isChecked(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".md") && !OTHER_LIBRARIES.contains(name);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> guide = Files.list(ROOT.resolve("docs/guide"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md"), ROOT.resolve("docs/spec/limits.md")),
                    guide.filter(NamesInGuideTest::isChecked).sorted()).toList();
        }
    }
}

package io.reactorucx;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the adapter may depend on, and what it may show. */
class ArchitectureTest {

    private static final String METRICS = "io.reactorucx.metrics";

    /** All of the engine that users of the adapter see: the engines' counters and settings. */
    private static final Set<String> ENGINE_API = Set.of("EngineConfig", "ProgressEngine", "WaitStrategy");

    /** All of core that users of the adapter see: values, errors, registered memory and the context to ask. */
    private static final Set<String> CORE_API = Set.of("AmProtocol", "CloseMode", "ErrorMode", "MemoryDescriptor",
            "UcpContext", "UcpMemory",
            "UcxVersion");

    private static Path classFolder;
    private static JavaClasses adapter;

    @BeforeAll
    static void importClasses() throws URISyntaxException {
        classFolder = Path.of(UcxConnection.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        adapter = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                .importPath(classFolder);
    }

    @Test
    void looksAtTheMainClassesOnly() {
        assertThat(adapter).extracting(JavaClass::getName).contains(UcxConnection.class.getName(),
                UcxMetrics.class.getName())
                .doesNotContain(ArchitectureTest.class.getName());
    }

    @Test
    void dependsOnEngineCoreAndItsFewLibrariesOnly() {
        classes().should().onlyDependOnClassesThat().resideInAnyPackage("java..", "javax.crypto..", "io.reactorucx",
                METRICS,
                "io.reactorucx.internal..", "io.reactorucx.buffer", "io.reactorucx.connection", "io.reactorucx.memory",
                "io.reactorucx.message", "io.reactorucx.security", "io.reactorucx.engine", "io.reactorucx.core",
                "reactor.core..", "reactor.util..", "reactor.pool..", "org.reactivestreams",
                "org.slf4j", "org.jspecify.annotations", "io.micrometer..").check(adapter);
    }

    @Test
    void knowsNeitherBindingsNorQueues() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("io.reactorucx.core.ffi..", "org.agrona..",
                "org.jctools..")
                .check(adapter);
    }

    @Test
    void keepsMicrometerInOnePackage() {
        noClasses().that().resideOutsideOfPackage(METRICS).should().dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..", METRICS)
                .check(adapter);
    }

    @Test
    void hasNoCyclesBetweenPackages() {
        slices().matching("(io.reactorucx..)").should().beFreeOfCycles().check(adapter);
    }

    @Test
    void neitherSleepsNorBlocksInOperations() {
        noClasses().should().callMethod(Thread.class, "sleep", long.class).orShould()
                .callMethod(Thread.class, "sleep", Duration.class)
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.util.concurrent.locks.LockSupport")
                .check(adapter);
    }

    @Test
    void blocksOnlyInTheMethodsThatSaySo() {
        // One more waits for the engines to start, in the builder's build.
        noClasses().that().doNotHaveSimpleName(Blocking.class.getSimpleName()).and()
                .doNotHaveSimpleName(UcxResources.class.getSimpleName())
                .should().callMethodWhere(DescribedPredicate.describe("block of a Mono or Flux",
                        call -> call.getTargetOwner().getPackageName().equals("reactor.core.publisher")
                                && call.getName().startsWith("block"))).check(adapter);
    }

    @Test
    void showsNothingOfEngineAndCoreButTheirValues() {
        Set<String> shown = new TreeSet<>();
        api().flatMap(ArchitectureTest::typesOf).filter(type -> type.getPackageName().startsWith("io.reactorucx"))
                .forEach(type -> shown.add(type.getPackageName() + " " + type.getSimpleName()));

        assertThat(named(shown, "io.reactorucx.engine")).containsExactlyInAnyOrderElementsOf(ENGINE_API);
        assertThat(named(shown, "io.reactorucx.core")).containsExactlyInAnyOrderElementsOf(CORE_API);
        assertThat(named(shown, "io.reactorucx")).allSatisfy(name -> assertThat(adapter)
                .filteredOn(type -> type.getSimpleName().equals(name))
                .allSatisfy(type -> assertThat(type.getModifiers()).as(name).contains(JavaModifier.PUBLIC)));
    }

    private static Stream<JavaCodeUnit> api() {
        return adapter.stream().filter(ArchitectureTest::isVisible).flatMap(type -> type.getCodeUnits().stream())
                .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC)
                || unit.getModifiers().contains(JavaModifier.PROTECTED));
    }

    private static boolean isVisible(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(ArchitectureTest::isVisible).orElse(true);
    }

    /** Result, parameters and what they are made of, such as the engines of a list. */
    private static Stream<JavaClass> typesOf(JavaCodeUnit unit) {
        return Stream.concat(unit.getReturnType().getAllInvolvedRawTypes().stream(),
                unit.getParameterTypes().stream().flatMap(type -> type.getAllInvolvedRawTypes().stream()));
    }

    private static List<String> named(Set<String> shown, String packageName) {
        return shown.stream().filter(name -> name.startsWith(packageName + " "))
                .map(name -> name.substring(packageName.length() + 1))
                .toList();
    }

    @Test
    void letsNobodyExtendIt() {
        assertThat(adapter.stream().filter(ArchitectureTest::isVisible).filter(type -> !type.isInterface())
                .filter(type -> !type.getName().endsWith("-info") && !type.getModifiers().contains(JavaModifier.FINAL))
                .map(JavaClass::getName))
                .isEmpty();
    }

    @Test
    void looksForLeaksBehindEveryTestThatNeedsUcx() {
        Stream<Class<?>> tests = new ClassFileImporter().importPackagesOf(NeedsUcx.class).stream()
                .filter(type -> type.isAssignableTo(NeedsUcx.class) && !type.isInterface()).map(JavaClass::reflect);

        assertThat(tests).hasSizeGreaterThan(10).allSatisfy(type ->
                assertThat(type.getAnnotationsByType(ExtendWith.class))
                .as(type.getName()).flatExtracting(extend -> List.of(extend.value())).contains(NoLeaks.class));
    }

    @Test
    void exportsItsApiOnly() throws IOException {
        try (InputStream in = Files.newInputStream(classFolder.resolve("module-info.class"))) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.name()).isEqualTo("io.reactorucx");
            assertThat(module.exports().stream().map(ModuleDescriptor.Exports::source).collect(Collectors.toSet()))
                    .containsExactlyInAnyOrder("io.reactorucx", METRICS, "io.reactorucx.buffer",
                    "io.reactorucx.connection",
                            "io.reactorucx.memory", "io.reactorucx.message", "io.reactorucx.security");
            assertThat(module.opens()).isEmpty();
        }
    }
}

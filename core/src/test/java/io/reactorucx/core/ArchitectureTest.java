package io.reactorucx.core;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.reactorucx.testsupport.RoomMatrix;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What core and its rooms may depend on, and what they may show. */
class ArchitectureTest {

    private static final String CORE = "io.reactorucx.core";
    private static final String FFI = CORE + ".ffi";
    private static final String SHARED_MEMORY = CORE + ".shm";
    private static final String INTERNAL = CORE + ".internal";
    private static final Set<String> API = Set.of(CORE, CORE + ".error", CORE + ".setting");

    /** The packages, bottom up: each uses only those before it. */
    private static final List<String> ROOMS = List.of(FFI, CORE + ".error", INTERNAL, room("process"), room("socket"),
            room("memory"), room("segment"), CORE + ".setting", room("config"), room("address"), room("worker"), CORE,
            SHARED_MEMORY);

    private static final int MAX_TYPES_OF_A_PACKAGE = 25;

    /** The object graph, whose objects know each other as those of UCX do. */
    private static final int MAX_TYPES_OF_THE_OBJECT_GRAPH = 78;

    private static Path classFolder;
    private static JavaClasses core;

    @BeforeAll
    static void importClasses() throws URISyntaxException {
        URL folder = UcpContext.class.getProtectionDomain().getCodeSource().getLocation();
        classFolder = Path.of(folder.toURI());
        core = new ClassFileImporter().importPath(classFolder);
        assertThat(core).hasSizeGreaterThan(50);
    }

    private static String room(String name) {
        return INTERNAL + "." + name;
    }

    @Test
    void dependsOnNothingButJavaAndTwoApis() {
        classes().should().onlyDependOnClassesThat(
                resideInAnyPackage("java..", "org.slf4j..", "org.jspecify..", "io.reactorucx.core..")).check(core);
    }

    @Test
    void keepsGeneratedBindingsFromDependingOnHandWrittenClasses() {
        noClasses().that(resideInAPackage(FFI)).should()
                .dependOnClassesThat(resideOutsideOfPackages("java..", FFI))
                .check(core);
    }

    @Test
    void eachRoomUsesOnlyThoseBelowIt() {
        for (int i = 0; i < ROOMS.size() - 1; i++) {
            noClasses().that().resideInAPackage(ROOMS.get(i)).should().dependOnClassesThat()
                    .resideInAnyPackage(ROOMS.subList(i + 1, ROOMS.size()).toArray(String[]::new)).check(core);
        }
        slices().matching("(io.reactorucx..)").should().beFreeOfCycles().check(core);
    }

    @Test
    void everyPackageIsKnownAndSmall() {
        Map<String, List<String>> types = RoomMatrix.types(core);
        assertThat(types.keySet()).containsExactlyInAnyOrderElementsOf(ROOMS);
        types.remove(FFI);
        assertThat(types.remove(CORE)).hasSizeLessThanOrEqualTo(MAX_TYPES_OF_THE_OBJECT_GRAPH);
        assertThat(types).allSatisfy((name, members) -> assertThat(members).as(name)
                .hasSizeLessThanOrEqualTo(MAX_TYPES_OF_A_PACKAGE));
    }

    @Test
    void pageShowsWhichRoomUsesWhich() {
        String matrix = RoomMatrix.of(core, ROOMS, name -> name.substring(name.lastIndexOf('.') + 1)
                + (API.contains(name) ? " (API)" : ""));

        assertThat(RoomMatrix.shown("rooms of the core")).as("the matrix in docs/spec/architecture.md; the code"
                + " says:\n%s", matrix).isEqualTo(matrix);
    }

    @Test
    void showsNoHiddenType() {
        assertThat(core.stream().filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)
                && (API.contains(type.getPackageName()) || type.getPackageName().equals(SHARED_MEMORY)))
                .flatMap(type -> type.getCodeUnits().stream())
                .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC))).isNotEmpty().allSatisfy(unit ->
                assertThat(unit.getAllInvolvedRawTypes()).extracting(JavaClass::getPackageName)
                        .as(unit.getFullName()).noneMatch(name -> name.startsWith(FFI) || name.startsWith(INTERNAL)));
    }

    @Test
    void neverSleeps() {
        noClasses().should().callMethod(Thread.class, "sleep", long.class).orShould()
                .callMethod(Thread.class, "sleep", long.class, int.class).orShould()
                .callMethod(Thread.class, "sleep", Duration.class).check(core);
    }

    @Test
    void exportsItsApiOnly() throws IOException {
        try (InputStream in = Files.newInputStream(classFolder.resolve("module-info.class"))) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.name()).isEqualTo("io.reactorucx.core");
            Map<String, Set<String>> exported = module.exports().stream().collect(Collectors.toMap(
                    ModuleDescriptor.Exports::source, ModuleDescriptor.Exports::targets));
            exported.forEach((name, targets) -> assertThat(targets).as(name).isEqualTo(API.contains(name) ? Set.of()
                    : name.equals(SHARED_MEMORY) ? Set.of("io.reactorucx", "io.reactorucx.transport")
                    : Set.of("io.reactorucx.uct")));
            assertThat(exported.keySet()).containsAll(API);
            assertThat(module.opens()).isEmpty();
        }
    }

    /** Types that all reach each other are one type to their reader. */
    @Test
    void hasSmallCirclesOfTypes() {
        assertThat(RoomMatrix.circles(core)).isNotEmpty().allSatisfy((name, circle) -> assertThat(circle).as(name)
                .hasSizeLessThanOrEqualTo(name.equals("io.reactorucx.core") ? 45 : 6));
    }
}

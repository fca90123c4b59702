package io.reactorucx.transport;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.reactorucx.testsupport.RoomMatrix;
import io.reactorucx.transport.connection.ConnectionCore;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the transport may depend on, and what it may show. */
@Tag("slow")
class ArchitectureTest {

    private static final String TRANSPORT = "io.reactorucx.transport";
    private static final String SECURITY = "io.reactorucx.security";
    private static final String METRICS = "io.reactorucx.transport.metrics";
    private static final Set<String> API = Set.of(TRANSPORT, SECURITY, METRICS);

    /** The packages, bottom up: each uses only those before it. */
    private static final List<String> ROOMS = List.of(SECURITY, TRANSPORT, room("record"), room("event"),
            room("frame"), room("counter"), room("command"), room("buffer"), room("config"), room("handshake"),
            room("socket"), room("endpoint"), room("carrier"), room("connection"), room("ring"),
            room("encryption"), room("connect"), METRICS);

    private static final int MAX_TYPES_OF_A_PACKAGE = 25;

    private static Path classFolder;
    private static JavaClasses transport;

    @BeforeAll
    static void importClasses() throws URISyntaxException {
        classFolder = Path.of(ConnectionCore.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        transport = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                .importPath(classFolder);
    }

    private static String room(String name) {
        return TRANSPORT + "." + name;
    }

    @Test
    void looksAtTheMainClassesOnly() {
        assertThat(transport).extracting(JavaClass::getName).contains(ConnectionCore.class.getName(),
                DropReason.class.getName())
                .doesNotContain(ArchitectureTest.class.getName());
    }

    @Test
    void dependsOnEngineCoreAndItsFewLibrariesOnly() {
        classes().should().onlyDependOnClassesThat().resideInAnyPackage("java..", "javax.crypto..", "javax.net.ssl..",
                "javax.security.auth.x500..", SECURITY, TRANSPORT + "..", "io.reactorucx.engine",
                "io.reactorucx.core", "io.reactorucx.core.error",
                "io.reactorucx.core.setting", "io.reactorucx.core.shm", "org.slf4j..", "jdk.jfr",
                "org.jspecify.annotations", "org.agrona.collections", "io.micrometer..").check(transport);
    }

    @Test
    void knowsNeitherReactorNorNetty() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("reactor..", "org.reactivestreams..",
                "io.netty..").check(transport);
    }

    @Test
    void keepsMicrometerAndFlightRecorderApart() {
        noClasses().that().resideOutsideOfPackage(METRICS).should().dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..", METRICS).check(transport);
        noClasses().that().resideOutsideOfPackage(room("event")).should().dependOnClassesThat()
                .resideInAPackage("jdk.jfr").check(transport);
    }

    @Test
    void eachRoomUsesOnlyThoseBelowIt() {
        for (int i = 0; i < ROOMS.size() - 1; i++) {
            noClasses().that().resideInAPackage(ROOMS.get(i)).should().dependOnClassesThat()
                    .resideInAnyPackage(ROOMS.subList(i + 1, ROOMS.size()).toArray(String[]::new)).check(transport);
        }
        slices().matching("(io.reactorucx..)").should().beFreeOfCycles().check(transport);
    }

    @Test
    void everyPackageIsKnownAndSmall() {
        assertThat(RoomMatrix.types(transport)).satisfies(types ->
                assertThat(types.keySet()).containsExactlyInAnyOrderElementsOf(ROOMS))
                .allSatisfy((name, members) -> assertThat(members).as(name)
                        .hasSizeLessThanOrEqualTo(MAX_TYPES_OF_A_PACKAGE));
    }

    @Test
    void pageShowsWhichRoomUsesWhich() {
        String matrix = RoomMatrix.of(transport, ROOMS, name -> name.equals(TRANSPORT) ? "transport (API)"
                : name.substring(name.lastIndexOf('.') + 1) + (API.contains(name) ? " (API)" : ""));

        assertThat(RoomMatrix.shown("rooms of the transport")).as("the matrix in docs/spec/architecture.md; the code"
                + " says:\n%s", matrix).isEqualTo(matrix);
    }

    @Test
    void neitherSleepsNorBlocksInOperations() {
        noClasses().should().callMethod(Thread.class, "sleep", long.class).orShould()
                .callMethod(Thread.class, "sleep", Duration.class)
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.util.concurrent.locks.LockSupport")
                .check(transport);
    }

    @Test
    void showsNoHiddenType() {
        Stream<JavaClass> shown = transport.stream().filter(type -> API.contains(type.getPackageName())
                && type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> type.getEnclosingClass().stream().allMatch(outer ->
                        outer.getModifiers().contains(JavaModifier.PUBLIC)))
                .flatMap(type -> Stream.concat(type.getRawInterfaces().stream(), type.getCodeUnits().stream()
                        .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC))
                        .flatMap(unit -> unit.getAllInvolvedRawTypes().stream())));

        assertThat(shown.map(JavaClass::getPackageName)).isNotEmpty().allSatisfy(name -> assertThat(name)
                .satisfiesAnyOf(any -> assertThat(API).contains(any),
                        any -> assertThat(any).doesNotStartWith(TRANSPORT)));
    }

    @Test
    void exportsItsApiToAllAndItsRoomsToTheModulesOnTop() throws IOException {
        try (InputStream in = Files.newInputStream(classFolder.resolve("module-info.class"))) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.name()).isEqualTo("io.reactorucx.transport");
            assertThat(module.exports().stream().filter(export -> !export.isQualified())
                    .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet())).isEqualTo(API);
            assertThat(module.exports().stream().filter(ModuleDescriptor.Exports::isQualified)).isNotEmpty()
                    .allSatisfy(export -> assertThat(Set.of("io.reactorucx", "io.reactorucx.netty"))
                            .containsAnyElementsOf(export.targets()));
            assertThat(module.opens()).isEmpty();
        }
    }

    /** Types that all reach each other are one type to their reader. */
    @Test
    void hasSmallCirclesOfTypes() {
        assertThat(RoomMatrix.circles(transport)).isNotEmpty().allSatisfy((name, circle) -> assertThat(circle).as(name)
                .hasSizeLessThanOrEqualTo(6));
    }
}

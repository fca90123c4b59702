package io.reactorucx.rsocket;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.reactorucx.UcxConnection;
import io.reactorucx.core.Ucx;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.testsupport.RoomMatrix;
import io.reactorucx.transport.OverflowPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the RSocket transport may depend on, and what it shows. */
@Tag("slow")
class ArchitectureTest {

    private static final int MAX_TYPES_OF_A_PACKAGE = 25;

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() throws URISyntaxException {
        Path folder = Path.of(UcxServerTransport.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPath(folder);
        assertThat(classes).extracting(JavaClass::getName).contains(UcxServerTransport.class.getName());
    }

    @Test
    void usesTheApiOfTheAdapterRSocketAndBuffersOfNettyOnly() {
        classes().should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.reactorucx",
                "io.reactorucx.buffer", "io.reactorucx.codec", "io.reactorucx.core", "io.reactorucx.core.error",
                "io.reactorucx.rsocket", "org.slf4j..", "io.rsocket..", "io.netty.buffer", "reactor.core..",
                "reactor.util.context", "org.reactivestreams", "org.jspecify.annotations").check(classes);
    }

    /** What any other library could do, which has no other door. */
    @Test
    void usesNeitherHiddenRoomsNorThoseOfTheTransport() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("io.reactorucx..internal..",
                "io.reactorucx.transport..").check(classes);
    }

    @Test
    void noModuleBelowHasADoorForItAlone() {
        assertThat(Stream.of(UcxConnection.class, OverflowPolicy.class, EngineConfig.class, Ucx.class)
                .flatMap(type -> exportsOf(type).stream()).flatMap(export -> export.targets().stream()))
                .isNotEmpty().doesNotContain("io.reactorucx.rsocket");
    }

    /** Reads the module that a class belongs to, which tests have on their class path. */
    private static Set<ModuleDescriptor.Exports> exportsOf(Class<?> type) {
        try {
            Path folder = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
            try (FileSystem jar = Files.isDirectory(folder) ? null : FileSystems.newFileSystem(folder);
                    InputStream in = Files.newInputStream((jar == null ? folder : jar.getPath("/"))
                            .resolve("module-info.class"))) {
                return ModuleDescriptor.read(in).exports();
            }
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException(type.getName(), e);
        }
    }

    @Test
    void showsNoHiddenType() {
        assertThat(classes).filteredOn(type -> type.getModifiers().contains(JavaModifier.PUBLIC)).isNotEmpty()
                .allSatisfy(type -> assertThat(type.getMethods()).filteredOn(method ->
                        method.getModifiers().contains(JavaModifier.PUBLIC)).allSatisfy(method ->
                        assertThat(method.getAllInvolvedRawTypes()).extracting(JavaClass::getPackageName)
                                .noneMatch(name -> name.startsWith("io.reactorucx.internal"))));
    }

    @Test
    void nothingIsReachedByReflection() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("java.lang.reflect..", "sun.misc..")
                .check(classes);
    }

    @Test
    void thePackageIsSmall() {
        assertThat(classes.stream().filter(JavaClass::isTopLevelClass).filter(type ->
                !type.getSimpleName().equals("package-info") && !type.getSimpleName().equals("module-info")))
                .hasSizeLessThanOrEqualTo(MAX_TYPES_OF_A_PACKAGE);
    }

    /** Types that all reach each other are one type to their reader. */
    @Test
    void hasSmallCirclesOfTypes() {
        assertThat(RoomMatrix.circles(classes)).isNotEmpty().allSatisfy((name, circle) -> assertThat(circle).as(name)
                .hasSizeLessThanOrEqualTo(6));
    }
}

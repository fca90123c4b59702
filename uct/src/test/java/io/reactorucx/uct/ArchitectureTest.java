package io.reactorucx.uct;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.reactorucx.testsupport.RoomMatrix;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the objects over UCT may depend on, and what they may show. */
class ArchitectureTest {

    private static final String API = "io.reactorucx.uct";
    private static final String HIDDEN = "io.reactorucx.uct.internal";
    private static final int MAX_TYPES_OF_A_PACKAGE = 25;

    private static Path classFolder;
    private static JavaClasses uct;

    @BeforeAll
    static void importClasses() throws URISyntaxException {
        classFolder = Path.of(UctComponent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        uct = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPath(classFolder);
        assertThat(uct).extracting(JavaClass::getName).contains(UctMemoryDomain.class.getName());
    }

    @Test
    void dependsOnCoreAlone() {
        classes().should().onlyDependOnClassesThat().resideInAnyPackage("java..", API, HIDDEN, "io.reactorucx.core",
                "io.reactorucx.core.error", "io.reactorucx.core.ffi", "io.reactorucx.core.internal..",
                "org.jspecify.annotations").check(uct);
        noClasses().that().resideInAPackage(HIDDEN).should().dependOnClassesThat().resideInAPackage(API).check(uct);
    }

    @Test
    void showsNoHiddenType() {
        assertThat(uct.stream().filter(type -> type.getPackageName().equals(API)
                && type.getModifiers().contains(JavaModifier.PUBLIC))).isNotEmpty().allSatisfy(type ->
                assertThat(type.getMethods()).filteredOn(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
                        .allSatisfy(method -> assertThat(method.getAllInvolvedRawTypes())
                                .extracting(JavaClass::getPackageName).as(method.getFullName())
                                .noneMatch(name -> name.startsWith(HIDDEN) || name.startsWith("io.reactorucx.core.ffi")
                                || name.startsWith("io.reactorucx.core.internal"))));
    }

    @Test
    void packagesAreSmall() {
        assertThat(RoomMatrix.types(uct)).containsOnlyKeys(API, HIDDEN).allSatisfy((name, types) ->
                assertThat(types).as(name).hasSizeLessThanOrEqualTo(MAX_TYPES_OF_A_PACKAGE));
    }

    @Test
    void exportsItsApiOnly() throws IOException {
        try (InputStream in = Files.newInputStream(classFolder.resolve("module-info.class"))) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.name()).isEqualTo(API);
            assertThat(module.exports()).extracting(ModuleDescriptor.Exports::source).containsExactly(API);
            assertThat(module.opens()).isEmpty();
        }
    }

    /** Types that all reach each other are one type to their reader. */
    @Test
    void hasSmallCirclesOfTypes() {
        assertThat(RoomMatrix.circles(uct)).isNotEmpty().allSatisfy((name, circle) -> assertThat(circle).as(name)
                .hasSizeLessThanOrEqualTo(6));
    }
}

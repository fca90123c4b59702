package io.reactorucx.spring.boot;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.reactorucx.testsupport.RoomMatrix;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

/** What the auto-configuration may depend on. */
@Tag("slow")
class ArchitectureTest {

    private static final int MAX_TYPES_OF_A_PACKAGE = 25;

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() throws URISyntaxException {
        Path folder = Path.of(UcxProperties.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPath(folder);
        assertThat(classes).extracting(JavaClass::getName).contains(UcxAutoConfiguration.class.getName());
    }

    @Test
    void noHiddenRoomIsUsed() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("io.reactorucx.internal..",
                "io.reactorucx.netty.internal..", "io.reactorucx.core.ffi..", "io.reactorucx.core.internal..")
                .check(classes);
    }

    /** Libraries that an application may lack are used by the package that asks for them. */
    @Test
    void optionalLibrariesStayInTheirPackages() {
        Map<String, List<String>> users = Map.of("io.rsocket..", List.of("rsocket", "discovery"),
                "io.netty..", List.of("rsocket"), "reactor.netty..", List.of("web", "rsocket"),
                "io.micrometer..", List.of("metrics"),
                "org.springframework.boot.health..", List.of("health"),
                "org.springframework.cloud..", List.of("discovery"),
                "org.springframework.web..", List.of());
        users.forEach((library, packages) -> noClasses().that().resideOutsideOfPackages(packages.stream()
                .map(each -> "io.reactorucx.spring.boot." + each).toArray(String[]::new)).should()
                .dependOnClassesThat().resideInAPackage(library).allowEmptyShould(true).check(classes));
    }

    @Test
    void everyAutoConfigurationIsListed() throws IOException {
        List<String> listed = ImportCandidates.load(AutoConfiguration.class, UcxProperties.class.getClassLoader())
                .getCandidates().stream().filter(each -> each.startsWith("io.reactorucx")).toList();

        assertThat(classes.stream().filter(each -> each.isAnnotatedWith(AutoConfiguration.class))
                .map(JavaClass::getName)).containsExactlyInAnyOrderElementsOf(listed).isNotEmpty();
    }

    @Test
    void packagesAreSmall() {
        Map<String, Long> sizes = classes.stream().filter(JavaClass::isTopLevelClass)
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

        assertThat(sizes).isNotEmpty().allSatisfy((name, size) ->
                assertThat(size).as(name).isLessThanOrEqualTo(MAX_TYPES_OF_A_PACKAGE));
    }

    /** Types that all reach each other are one type to their reader. */
    @Test
    void hasSmallCirclesOfTypes() {
        assertThat(RoomMatrix.circles(classes)).isNotEmpty().allSatisfy((name, circle) -> assertThat(circle).as(name)
                .hasSizeLessThanOrEqualTo(6));
    }
}

package io.reactorucx.core;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
class ArchitectureTest {

    private static final String FFI = "io.reactorucx.core.ffi";
    private static Path classFolder;
    private static JavaClasses core;

    @BeforeAll
    static void importClasses() throws URISyntaxException {
        URL folder = UcpContext.class.getProtectionDomain().getCodeSource().getLocation();
        classFolder = Path.of(folder.toURI());
        core = new ClassFileImporter().importPath(classFolder);
        assertThat(core).hasSizeGreaterThan(50);
    }

    @Test
    void dependsOnNothingButJavaAndTwoApis() {
        classes().should().onlyDependOnClassesThat(
                resideInAnyPackage("java..", "org.slf4j..", "org.jspecify..", "io.reactorucx.core..")).check(core);
    }

    @Test
    void keepsGeneratedBindingsFromDependingOnHandWrittenClasses() {
        noClasses().that(resideInAPackage(FFI)).should()
                .dependOnClassesThat(resideOutsideOfPackages("java..", "org.jspecify..", FFI))
                .check(core);
    }

    @Test
    void hasNoCyclesBetweenPackages() {
        slices().matching("(io.reactorucx..)").should().beFreeOfCycles().check(core);
    }

    @Test
    void showsNoGeneratedTypeInItsApi() {
        for (var type : core) {
            if (!type.getPackageName().startsWith(FFI) && type.getModifiers().contains(
                    JavaModifier.PUBLIC)) {
                assertThat(type.getMethods()).filteredOn(method -> method.getModifiers().contains(
                        JavaModifier.PUBLIC)).allSatisfy(method -> {
                            assertThat(method.getRawReturnType().getPackageName()).as(method.getFullName())
                                    .doesNotStartWith(FFI);
                            assertThat(method.getRawParameterTypes()).as(method.getFullName())
                                    .noneMatch(parameter -> parameter.getPackageName().startsWith(FFI));
                        });
            }
        }
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
            Set<String> exported = module.exports().stream().filter(each -> !each.isQualified())
                    .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet());
            assertThat(exported).containsExactly("io.reactorucx.core");
            assertThat(module.exports().stream().filter(ModuleDescriptor.Exports::isQualified))
                    .allSatisfy(each -> assertThat(each.targets()).containsExactly("io.reactorucx.uct"));
            assertThat(module.opens()).isEmpty();
        }
    }
}

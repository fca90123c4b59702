package io.reactorucx.engine;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.reactorucx.testsupport.RoomMatrix;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the engine may depend on. */
@Tag("slow")
class ArchitectureTest {

    private static final JavaClasses ENGINE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.reactorucx.engine");

    /** Agrona's queues, buffers and counters need --add-opens. */
    private static final DescribedPredicate<JavaClass> AGRONA_AGENTS =
            nameMatching("org\\.agrona\\.concurrent\\.(Agent\\w*|\\w*IdleStrategy)").forSubtype();

    @Test
    void looksAtTheMainClassesOnly() {
        assertThat(ENGINE).extracting(JavaClass::getName).contains(ProgressEngine.class.getName(),
                ProgressEngineGroup.class.getName())
                .doesNotContain(ArchitectureTest.class.getName());
    }

    @Test
    void dependsOnCoreAndItsFewLibrariesOnly() {
        classes().should()
                .onlyDependOnClassesThat(resideInAnyPackage("java..", "io.reactorucx.engine", "io.reactorucx.core",
                "io.reactorucx.core.error", "org.jctools.queues.varhandle", "org.slf4j", "org.jspecify.annotations")
                .or(AGRONA_AGENTS))
                .check(ENGINE);
    }

    @Test
    void knowsNeitherReactorNorBindings() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("reactor..", "org.reactivestreams..",
                "io.micrometer..", "io.reactorucx.core.ffi..").check(ENGINE);
    }

    @Test
    void leavesSleepingToTheEventDescriptor() {
        noClasses().should().callMethod(Thread.class, "sleep", long.class)
                .orShould().callMethod(Thread.class, "sleep", Duration.class)
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.util.concurrent.locks.LockSupport")
                .check(ENGINE);
    }

    /** Types that all reach each other are one type to their reader. */
    @Test
    void hasSmallCirclesOfTypes() {
        assertThat(RoomMatrix.circles(ENGINE)).isNotEmpty().allSatisfy((name, circle) -> assertThat(circle).as(name)
                .hasSizeLessThanOrEqualTo(6));
    }
}

package io.reactorucx.netty;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.reactorucx.testsupport.RoomMatrix;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the Netty transport may depend on. */
@Tag("slow")
class ArchitectureTest {

    private static final String INTERNAL = "io.reactorucx.netty.internal..";
    private static final int MAX_TYPES_OF_A_PACKAGE = 25;

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() throws URISyntaxException {
        Path folder = Path.of(UcxIoHandler.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPath(folder);
        assertThat(classes).extracting(JavaClass::getName).contains(UcxSocketChannel.class.getName());
    }

    @Test
    void streamsKnowNoChannels() {
        noClasses().that().resideInAPackage(INTERNAL).should().dependOnClassesThat()
                .resideInAnyPackage("io.netty.channel..", "io.netty.bootstrap..", "reactor.netty..").check(classes);
    }

    @Test
    void countersKnowNoStreams() {
        noClasses().that().resideInAPackage("io.reactorucx.netty.counter").should().dependOnClassesThat()
                .resideInAnyPackage(INTERNAL, "io.reactorucx.netty.io", "io.reactorucx.netty.buffer", "io.netty..")
                .check(classes);
    }

    @Test
    void onlyTheLoopResourcesKnowReactorNetty() {
        noClasses().that().resideOutsideOfPackage("io.reactorucx.netty.resources..").should().dependOnClassesThat()
                .resideInAPackage("reactor.netty..").check(classes);
    }

    @Test
    void channelsDoWithoutTheReactorAdapter() {
        classes().should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.netty..", "io.reactorucx.netty..",
                "io.reactorucx.transport..", "io.reactorucx.security", "io.reactorucx.engine", "io.reactorucx.core",
                "io.reactorucx.core.error", "io.micrometer..", "reactor..", "org.slf4j..",
                "org.jspecify.annotations").check(classes);
        noClasses().that().resideOutsideOfPackage("io.reactorucx.netty.resources..").should().dependOnClassesThat()
                .resideInAnyPackage("reactor..", "org.reactivestreams..").check(classes);
    }

    @Test
    void nothingIsReachedByReflection() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("java.lang.reflect..", "sun.misc..")
                .check(classes);
    }

    @Test
    void packagesAreSmall() {
        Map<String, Long> sizes = classes.stream().filter(JavaClass::isTopLevelClass)
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

        assertThat(sizes).hasSize(6).allSatisfy((name, size) ->
                assertThat(size).as(name).isLessThanOrEqualTo(MAX_TYPES_OF_A_PACKAGE));
    }

    /** Types that all reach each other are one type to their reader. */
    @Test
    void hasSmallCirclesOfTypes() {
        assertThat(RoomMatrix.circles(classes)).isNotEmpty().allSatisfy((name, circle) -> assertThat(circle).as(name)
                .hasSizeLessThanOrEqualTo(6));
    }
}

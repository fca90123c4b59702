package io.reactorucx.rsocket;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.net.URISyntaxException;
import java.nio.file.Path;
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
    void usesTheAdapterRSocketAndBuffersOfNettyOnly() {
        classes().should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.reactorucx",
                "io.reactorucx.buffer", "io.reactorucx.rsocket", "io.reactorucx.core", "io.reactorucx.internal.message",
                "io.reactorucx.transport.command", "io.reactorucx.internal.concurrent", "org.slf4j..",
                "io.rsocket..", "io.netty.buffer", "io.netty.util", "reactor.core..", "reactor.util.context",
                "org.reactivestreams", "org.jspecify.annotations").check(classes);
    }

    @Test
    void usesTheAdaptersRoomForMessagesByItsMessagesAlone() {
        noClasses().should().dependOnClassesThat().haveNameMatching(
                "io\\.reactorucx\\.internal\\.message\\.(?!(MessageStream|MessageDecoder|StreamBuffers)(\\$.*)?$).*")
                .check(classes);
        noClasses().should().dependOnClassesThat().haveNameMatching(
                "io\\.reactorucx\\.(transport\\.command\\.(?!LimitedLog$)"
                + "|internal\\.concurrent\\.(?!UncancelledMono$)).*")
                .check(classes);
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
}

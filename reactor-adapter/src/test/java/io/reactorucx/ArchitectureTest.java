package io.reactorucx;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.RoomMatrix;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.connection.ProtocolHandler;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the adapter may depend on, and what it may show. */
@Tag("slow")
class ArchitectureTest {

    private static final String METRICS = "io.reactorucx.metrics";
    private static final String OBSERVATION = "io.reactorucx.observation";
    private static final String BUFFER = "io.reactorucx.buffer";
    private static final String CODEC = "io.reactorucx.codec";
    private static final String CONNECTION = "io.reactorucx.connection";
    private static final String MEMORY = "io.reactorucx.memory";
    private static final String MESSAGE = "io.reactorucx.message";
    private static final String TRANSPORT = "io.reactorucx.transport..";
    private static final String HIDDEN = "io.reactorucx.internal";

    /** The API's vocabulary: values and contracts, which use no hidden room. */
    private static final List<String> VOCABULARY = List.of(BUFFER, CODEC, CONNECTION, MEMORY, MESSAGE);

    /** The hidden rooms, bottom up: each uses only those before it. */
    private static final List<String> ROOMS = List.of("frame", "counter", "concurrent", "lease", "operation", "codec",
            "mapped", "ucp", "message.batch", "message.context", "message.receive", "message.send", "message", "memory",
            "request", "resources");

    private static final List<String> PROTOCOLS = List.of("mapped", "ucp", "message", "memory");
    private static final int MAX_TYPES_OF_A_PACKAGE = 25;
    private static final int MAX_API_TYPES = 53;

    /** All of the engine that users of the adapter see: the engines' counters and settings. */
    private static final Set<String> ENGINE_API = Set.of("EngineConfig", "EngineHealth", "ProgressEngine",
            "WaitStrategy");

    /** All of core that users of the adapter see: values, errors, registered memory and the context to ask. */
    private static final Set<String> CORE_API = Set.of("AmProtocol", "CloseMode", "ErrorMode", "MemoryDescriptor",
            "UcpContext", "UcpMemory", "UcxTransportKind", "UcxVersion");

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
        classes().should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.reactorucx",
                METRICS, OBSERVATION, HIDDEN + "..", BUFFER, CODEC, CONNECTION, MEMORY, MESSAGE, TRANSPORT,
                "io.reactorucx.security", "io.reactorucx.engine", "io.reactorucx.core", "io.reactorucx.core.error",
                "io.reactorucx.core.shm", "reactor.core..", "reactor.util..", "reactor.pool..", "org.reactivestreams",
                "org.slf4j..", "org.jspecify.annotations", "io.micrometer..", "org.HdrHistogram")
                .check(adapter);
    }

    @Test
    void knowsNeitherBindingsNorQueues() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("io.reactorucx.core.ffi..", "org.agrona..",
                "org.jctools..")
                .check(adapter);
    }

    @Test
    void keepsMicrometerInTwoPackages() {
        noClasses().that().resideOutsideOfPackages(METRICS, OBSERVATION).should().dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..", "org.HdrHistogram", METRICS, OBSERVATION)
                .check(adapter);
    }

    @Test
    void eachRoomUsesOnlyThoseBelowIt() {
        for (int i = 0; i < ROOMS.size(); i++) {
            String[] above = Stream.concat(ROOMS.stream().skip(i + 1L).map(ArchitectureTest::room),
                    Stream.of("io.reactorucx", METRICS, OBSERVATION)).toArray(String[]::new);
            noClasses().that().resideInAPackage(room(ROOMS.get(i))).should().dependOnClassesThat()
                    .resideInAnyPackage(above).check(adapter);
        }
    }

    @Test
    void protocolsDoNotKnowEachOther() {
        for (String protocol : PROTOCOLS) {
            String[] others = PROTOCOLS.stream().filter(other -> !other.equals(protocol))
                    .map(other -> room(other) + "..").toArray(String[]::new);
            noClasses().that().resideInAPackage(room(protocol) + "..").should().dependOnClassesThat()
                    .resideInAnyPackage(others).check(adapter);
        }
        noClasses().that().resideInAPackage(room("request")).should().dependOnClassesThat()
                .resideInAnyPackage(room("ucp"), room("memory")).check(adapter);
    }

    /** A room that handles messages of a connection is one, or the rule above would not hold for it. */
    @Test
    void eachRoomWithAProtocolIsInTheListOfProtocols() {
        assertThat(adapter.stream().filter(type -> type.isAssignableTo(ProtocolHandler.class)
                || type.isAssignableTo(ProtocolFactory.class)).map(type ->
                        type.getPackageName().replace(HIDDEN + ".", "")).distinct())
                .containsExactlyInAnyOrderElementsOf(PROTOCOLS);
    }

    @Test
    void vocabularyUsesNeitherHiddenRoomsNorFacades() {
        noClasses().that().resideInAnyPackage(VOCABULARY.toArray(String[]::new)).should().dependOnClassesThat()
                .resideInAnyPackage(HIDDEN + "..", "io.reactorucx", METRICS, OBSERVATION).check(adapter);
    }

    private static String room(String name) {
        return HIDDEN + "." + name;
    }

    @Test
    void everyPackageIsKnownAndSmall() {
        assertThat(RoomMatrix.types(adapter)).satisfies(types ->
                assertThat(types.keySet()).containsExactlyInAnyOrderElementsOf(packages()))
                .allSatisfy((name, members) -> assertThat(members).as(name)
                        .hasSizeLessThanOrEqualTo(MAX_TYPES_OF_A_PACKAGE));
    }

    @Test
    void hasFewApiTypes() {
        assertThat(adapter.stream().filter(type -> isTopLevel(type) && isVisible(type)).map(JavaClass::getSimpleName))
                .hasSizeLessThanOrEqualTo(MAX_API_TYPES);
    }

    private static boolean isTopLevel(JavaClass type) {
        return type.isTopLevelClass() && !type.getName().endsWith("-info");
    }

    /** All packages, bottom up. */
    private static List<String> packages() {
        return Stream.of(VOCABULARY.stream(), ROOMS.stream().map(ArchitectureTest::room),
                Stream.of("io.reactorucx", OBSERVATION, METRICS)).flatMap(Function.identity()).toList();
    }

    @Test
    void pageShowsWhichRoomUsesWhich() {
        String matrix = RoomMatrix.of(adapter, packages(), ArchitectureTest::shortName);

        assertThat(RoomMatrix.shown("rooms of the adapter")).as("the matrix in docs/spec/architecture.md; the code"
                + " says:\n%s", matrix).isEqualTo(matrix);
    }

    private static String shortName(String packageName) {
        return packageName.equals("io.reactorucx") ? "facades" : VOCABULARY.contains(packageName)
                ? packageName.substring("io.reactorucx.".length()) + " (API)"
                : packageName.substring(packageName.lastIndexOf('.') + 1);
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
        noClasses().that().doNotHaveSimpleName(Blocking.class.getSimpleName()).should()
                .callMethodWhere(DescribedPredicate.describe("block of a Mono or Flux",
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

    @Test
    void showsNoHiddenType() {
        assertThat(api().filter(unit -> typesOf(unit).anyMatch(type -> type.getPackageName().startsWith(HIDDEN)))
                .map(JavaCodeUnit::getFullName)).isEmpty();
        assertThat(adapter.stream().filter(ArchitectureTest::isVisible)
                .flatMap(type -> Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream()))
                .filter(type -> type.getPackageName().startsWith(HIDDEN)).map(JavaClass::getName)).isEmpty();
    }

    private static Stream<JavaCodeUnit> api() {
        return adapter.stream().filter(ArchitectureTest::isVisible).flatMap(type -> type.getCodeUnits().stream())
                .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC)
                || unit.getModifiers().contains(JavaModifier.PROTECTED));
    }

    /** Whether users of the module see the type. */
    private static boolean isVisible(JavaClass type) {
        return !type.getPackageName().startsWith(HIDDEN) && type.getModifiers().contains(JavaModifier.PUBLIC)
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
        assertThat(adapter.stream().filter(type -> isVisible(type) && !type.isInterface())
                .filter(type -> !type.getName().endsWith("-info") && !type.getModifiers().contains(JavaModifier.FINAL)
                        && !type.reflect().isSealed()).map(JavaClass::getName)).isEmpty();
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
            assertThat(module.exports().stream()
                    .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet()))
                    .containsExactlyInAnyOrder("io.reactorucx", METRICS, OBSERVATION, BUFFER, CODEC,
                            CONNECTION, MEMORY, MESSAGE);
            assertThat(module.exports()).noneMatch(ModuleDescriptor.Exports::isQualified);
            assertThat(module.opens()).isEmpty();
        }
    }

    /** Types that all reach each other are one type to their reader. */
    @Test
    void hasSmallCirclesOfTypes() {
        assertThat(RoomMatrix.circles(adapter)).isNotEmpty().allSatisfy((name, circle) -> assertThat(circle).as(name)
                .hasSizeLessThanOrEqualTo(6));
    }

    /** A state that is a combination of flags has combinations that nobody has thought of. */
    @Test
    void messagesHaveStatesInPlaceOfFlags() {
        Map<String, List<String>> flags = adapter.stream()
                .filter(type -> type.getPackageName().startsWith(room("message")))
                .collect(Collectors.toMap(JavaClass::getName, type -> type.getFields().stream()
                        .filter(field -> field.getRawType().isEquivalentTo(boolean.class)
                                && !field.getModifiers().contains(JavaModifier.FINAL))
                        .map(JavaField::getName).toList()));

        assertThat(flags).isNotEmpty().allSatisfy((name, fields) ->
                assertThat(fields).as(name).hasSizeLessThanOrEqualTo(2));
    }
}

package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.uct.internal.SettingNames;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MdConfigTest extends Domains {

    private static UctMdConfig of(String component) {
        return UctComponent.named(component).config();
    }

    @Test
    void listsSettings() {
        assertThat(of("self").toMap()).isEqualTo(Map.of("NUM_DEVICES", "1"));
        assertThat(of("tcp").toMap()).containsKey("AF_PRIO");
        assertThat(of("sysv").toMap()).isEqualTo(Map.of("MM_HUGETLB_MODE", "try"));
        assertThat(of("posix").toMap())
                .containsAllEntriesOf(Map.of("MM_HUGETLB_MODE", "try", "DIR", "/dev/shm", "USE_PROC_LINK", "y"))
                .doesNotContainKeys("HUGETLB_MODE", "MODE", "SEG_SIZE");
    }

    @ParameterizedTest
    @MethodSource("names")
    void takesEachValueThatItPrints(String name) {
        try (UctMemoryDomain domain = open(name)) {
            UctMdConfig config = domain.component().config();
            config.toMap().forEach((key, value) -> {
                assertThat(config.get(key)).isEqualTo(value);
                assertThat(config.with(key, value).toMap()).isEqualTo(config.toMap());
            });
        }
    }

    @Test
    void namesComponentWithoutSettings() {
        Optional<UctComponent> component = UctComponent.all().stream().filter(each -> each.name().equals("rdmacm"))
                .findFirst();
        assumeTrue(component.isPresent(), "UCX has no component rdmacm here, the only one without settings");
        UctMdConfig config = component.orElseThrow().config();
        assertThatThrownBy(config::toMap).isInstanceOf(UcxException.class).hasMessageContaining("rdmacm");
    }

    @Test
    void changesAreOfTheCopyOnly() {
        UctMdConfig config = of("self");
        UctMdConfig changed = config.with("NUM_DEVICES", "3");
        assertThat(changed.get("NUM_DEVICES")).isEqualTo("3");
        assertThat(config.get("NUM_DEVICES")).isEqualTo("1");
        assertThat(changed.with("NUM_DEVICES", "4").get("NUM_DEVICES")).isEqualTo("4");
        assertThat(changed.component()).isEqualTo(config.component());
        assertThat(changed).hasToString("self {NUM_DEVICES=3}");
    }

    @Test
    void opensDomainWithChanges() {
        UctMdConfig config = of("self").with("NUM_DEVICES", "3");
        try (UctMemoryDomain domain = config.component().open("self", config)) {
            assertThat(domain.resources()).extracting(UctResource::device)
                    .containsExactly("memory0", "memory1", "memory2");
        }
        try (UctMemoryDomain domain = config.component().open("self")) {
            assertThat(domain.resources()).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"self, NUM_DEVICES, 0", "self, NUM_DEVICES, -1", "tcp, AF_PRIO, ''", "tcp, AF_PRIO, 'inet6,inet,inet'",
        "posix, MM_HUGETLB_MODE, n", "sysv, MM_HUGETLB_MODE, y"})
    void survivesUnusualValues(String component, String name, String value) {
        UctMdConfig config = of(component);
        try (UctMemoryDomain domain = config.component().open(component, config.with(name, value))) {
            assertThat(domain.resources()).hasSizeLessThan(100);
            assertThat(domain.attributes().componentName()).isEqualTo(component);
        } catch (UcxException | IllegalArgumentException refused) {
            assertThat(refused).hasMessageContaining(component);
        }
    }

    @Test
    void readsEnvironment() {
        UctMdConfig config = of("self");
        Map<String, String> variables = Map.of("UCX_SELF_NUM_DEVICES", "2", "MINE_UCX_SELF_NUM_DEVICES", "5");
        List<String> read = NativeEnvironment.with(variables, () -> List.of(config.get("NUM_DEVICES"),
                config.withEnvironmentPrefix("MINE").get("NUM_DEVICES"), config.withFile(Path.of("/nowhere"))
                .get("NUM_DEVICES")));
        assertThat(read).containsExactly("2", "5", "2");
        assertThat(config.get("NUM_DEVICES")).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({"self, NUM_DEVICE", "self, AF_PRIO", "self, ''", "tcp, af_prio", "posix, HUGETLB_MODE", "posix, MM_",
        "posix, DI", "sysv, UCX_SYSV_HUGETLB_MODE"})
    void refusesToChangeSettingThatIsNone(String component, String name) {
        UctMdConfig config = of(component);
        assertThatThrownBy(() -> config.with(name, "1")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setting " + name).hasMessageContaining(component);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NUM_DEVICESS", "AF_PRIO", "num_devices", "UCX_SELF_NUM_DEVICES"})
    void refusesToReadSettingThatIsNone(String name) {
        UctMdConfig config = of("self");
        assertThatThrownBy(() -> config.get(name)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setting " + name);
    }

    @ParameterizedTest
    @CsvSource({"self, NUM_DEVICES, many", "self, NUM_DEVICES, ''", "posix, MM_HUGETLB_MODE, perhaps",
        "posix, USE_PROC_LINK, 7"})
    void refusesValueThatDoesNotParse(String component, String name, String value) {
        UctMdConfig config = of(component);
        assertThatThrownBy(() -> config.with(name, value)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setting " + name + "=" + value);
        assertThat(config.get(name)).isNotEmpty();
    }

    @Test
    void refusesTextThatUcxCannotHold() {
        UctMdConfig config = of("posix");
        String long255 = "/" + "x".repeat(254);
        assertThat(config.with("DIR", long255).get("DIR")).isEqualTo(long255);
        assertThatThrownBy(() -> config.with("DIR", long255 + "x")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("value of 256 characters");
        assertThatThrownBy(() -> config.with("DIR", "a\0b")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("value");
        assertThatThrownBy(() -> config.with(null, "x")).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> config.with("DIR", null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("value");
        assertThatThrownBy(() -> config.get(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> config.get("")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> config.withFile(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("path");
        for (String bad : List.of("", "1A", "A-B", "A B", "a".repeat(65))) {
            assertThatThrownBy(() -> config.withEnvironmentPrefix(bad)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("prefix " + bad);
        }
    }

    @Test
    void reportsSettingsThatTheDomainCannotUse() {
        UctMdConfig folder = of("posix").with("DIR", "/no/such/folder");
        assertThatThrownBy(() -> folder.component().open("posix", folder)).isInstanceOf(UcxException.class)
                .hasMessageContaining("posix");
        UctMdConfig family = of("tcp").with("AF_PRIO", "inet9");
        assertThatThrownBy(() -> family.component().open("tcp", family)).isInstanceOf(UcxException.class)
                .hasMessageContaining("tcp");
    }

    @Test
    void findsNamesInWhatUcxPrints() {
        assertThat(SettingNames.candidates("# inherits: UCX_MM_A_B\nUCX_X=1\nX_=UCX_\n"))
                .containsExactly("A_B", "B", "MM_A_B", "X");
    }
}

package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.testsupport.NoLeaks;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("slow")
@ExtendWith({NoLeaks.class, NoOpenDomains.class})
class ComponentTest {

    private static final Map<UctDeviceType, String> IN_UCX_INFO = Map.of(UctDeviceType.NET, "network",
            UctDeviceType.SHM, "intra-node", UctDeviceType.ACC, "accelerator", UctDeviceType.SELF, "loopback");

    @BeforeEach
    void requireUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    @Test
    void listsComponentsThatAreBuiltIn() {
        assertThat(UctComponent.all()).extracting(UctComponent::name).contains("self", "tcp", "sysv", "posix")
                .doesNotHaveDuplicates();
        assertThat(UctComponent.named("tcp").flags()).contains(UctComponentFlag.CM);
        assertThat(UctComponent.named("self").flags()).doesNotContain(UctComponentFlag.CM);
        assertThat(UctComponent.named("self")).isEqualTo(UctComponent.named("self"))
                .isNotEqualTo(UctComponent.named("tcp"))
                .hasSameHashCodeAs(UctComponent.named("self")).hasToString("self");
    }

    @Test
    void findsWhatToolOfUcxFinds() {
        Map<String, UcxInfo.Domain> expected = UcxInfo.domains().orElse(Map.of());
        assumeTrue(!expected.isEmpty(), "ucx_info is not installed");
        Map<String, String> components = new TreeMap<>();
        for (UctComponent component : UctComponent.all()) {
            for (String name : component.memoryDomainNames()) {
                components.put(name, component.name());
                try (UctMemoryDomain domain = component.open(name)) {
                    assertThat(domain.component()).isEqualTo(component);
                    assertThat(domain.name()).isEqualTo(name);
                    assertSame(domain, expected.get(name));
                }
            }
        }
        Map<String, String> expectedComponents = new TreeMap<>();
        expected.forEach((name, domain) -> expectedComponents.put(name, domain.component));
        assertThat(components).isEqualTo(expectedComponents);
    }

    private static void assertSame(UctMemoryDomain domain, UcxInfo.Domain expected) {
        UctMdAttributes attributes = domain.attributes();
        List<String> resources = domain.resources().stream()
                .map(resource -> resource + "/" + IN_UCX_INFO.get(resource.type())).toList();
        assertThat(resources).isEqualTo(expected.resources);
        assertThat(attributes.componentName()).isEqualTo(expected.component);
        assertThat(attributes.packedKeyBytes() + " bytes").isEqualTo(expected.remoteKey.isEmpty() ? "0 bytes"
                : expected.remoteKey);
        assertThat(attributes.flags().contains(UctMdFlag.ALLOC)).isEqualTo(expected.allocate.isPresent());
        assertThat(attributes.flags().contains(UctMdFlag.REG)).isEqualTo(expected.register.isPresent());
        assertThat(attributes.flags().contains(UctMdFlag.RKEY_PTR)
                || domain.component().flags().contains(UctComponentFlag.RKEY_PTR))
                .isEqualTo(expected.remotePointer);
        expected.register.ifPresent(text -> assertThat(attributes.maxRegistrationBytes() == Long.MAX_VALUE)
                .isEqualTo(isUnlimited(text)));
        expected.allocate.ifPresent(text -> assertThat(attributes.maxAllocationBytes() == Long.MAX_VALUE)
                .isEqualTo(isUnlimited(text)));
        assertThat(attributes.accessibleTypes()).contains(UcxMemoryType.HOST);
        assertThat(attributes.localCpus().isEmpty()).isFalse();
    }

    /** Half of what UCX calls unlimited is more than Java can count, too. */
    private static boolean isUnlimited(String text) {
        assertThat(text).matches("unlimited.*|<= .*");
        return text.startsWith("unlimited") || text.startsWith("<= " + Long.MAX_VALUE);
    }

    @Test
    void tellsCostOfRegistration() {
        try (UctMemoryDomain tcp = UctComponent.named("tcp").open("tcp")) {
            assertThat(tcp.attributes().registrationCostSeconds().apply(1 << 20)).isZero();
        }
        assertThat(new UctLinearFunction(9e-9, 2e-12).apply(1000)).isEqualTo(11e-9);
    }

    @Test
    void refusesNamesThatAreNotThere() {
        assertThatThrownBy(() -> UctComponent.named("nonsense")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nonsense").hasMessageContaining("posix");
        assertThatThrownBy(() -> UctComponent.named(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("name");
        UctComponent tcp = UctComponent.named("tcp");
        assertThatThrownBy(() -> tcp.open("posix")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("memoryDomainName posix").hasMessageContaining("[tcp]");
        assertThatThrownBy(() -> tcp.open(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("memoryDomainName");
        assertThatThrownBy(() -> tcp.open("tcp", null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("config");
        UctMdConfig ofSelf = UctComponent.named("self").config();
        assertThatThrownBy(() -> tcp.open("tcp", ofSelf)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("config").hasMessageContaining("self");
    }

    @Test
    void listsOnSeveralThreads() throws InterruptedException {
        List<List<UctComponent>> lists = new CopyOnWriteArrayList<>();
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(i -> Thread.ofPlatform().start(() -> lists.add(UctComponent.all()))).toList();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(lists).hasSize(4).containsOnly(UctComponent.all());
    }
}

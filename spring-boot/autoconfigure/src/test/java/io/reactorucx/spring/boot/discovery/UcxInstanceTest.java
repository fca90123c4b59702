package io.reactorucx.spring.boot.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.ServiceInstance;

class UcxInstanceTest {

    static ServiceInstance instance(String id, int port, Map<String, String> metadata) {
        return new DefaultServiceInstance(id, "service", "127.0.0.1", port, false, metadata);
    }

    @Test
    void metadataComeBack() {
        UcxInstance all = new UcxInstance("node-1", 1234, 1235, true);
        assertThat(all.toMetadata()).containsOnlyKeys("ucx.host", "ucx.port", "ucx.tcp-port", "ucx.http");
        assertThat(UcxInstance.of(instance("a", 80, all.toMetadata()))).isEqualTo(all);
    }

    @Test
    void anInstanceWithoutMetadataKnowsNothingOfUcx() {
        UcxInstance none = new UcxInstance(null, 0, 0, false);
        assertThat(UcxInstance.of(instance("a", 80, Map.of()))).isEqualTo(none);
        assertThat(none.toMetadata()).isEmpty();
    }

    @Test
    void wrongMetadataAreNamed() {
        assertThatIllegalArgumentException().isThrownBy(() -> UcxInstance.of(instance("a", 80,
                Map.of("ucx.port", "x")))).withMessage("ucx.port 'x': must be a number in 0..65535");
        assertThatIllegalArgumentException().isThrownBy(() -> UcxInstance.of(instance("a", 80,
                Map.of("ucx.tcp-port", "65536")))).withMessage("ucx.tcp-port 65536: must be in 0..65535");
        assertThatIllegalArgumentException().isThrownBy(() -> UcxInstance.of(instance("a", 80,
                Map.of("ucx.host", " ")))).withMessage("ucx.host ' ': must not be blank");
    }
}

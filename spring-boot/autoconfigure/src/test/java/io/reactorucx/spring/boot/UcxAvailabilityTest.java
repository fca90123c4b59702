package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** UCX, the kernel's TCP with a warning, or an error. */
@ExtendWith(OutputCaptureExtension.class)
class UcxAvailabilityTest {

    private final UcxUnavailableException missing = new UcxUnavailableException("no library", "Install it", null);

    @Test
    void ucxWhereItCanBeUsed(CapturedOutput output) {
        assertThat(UcxAvailability.check(() -> null, UcxFallback.NONE, "HTTP goes")).isTrue();
        assertThat(UcxAvailability.check(() -> null, UcxFallback.TCP, "HTTP goes")).isTrue();
        assertThat(output).doesNotContain("kernel's TCP");
    }

    @Test
    void tcpWithAWarning(CapturedOutput output) {
        assertThat(UcxAvailability.check(() -> missing, UcxFallback.TCP, "HTTP goes")).isFalse();
        assertThat(output).contains("WARN").contains(
                "HTTP goes over the kernel's TCP, because reactor.ucx.fallback is tcp: no library. Install it");
    }

    @Test
    void anErrorOtherwise() {
        assertThatThrownBy(() -> UcxAvailability.check(() -> missing, UcxFallback.NONE, "HTTP goes")).isSameAs(missing);
        assertThatThrownBy(() -> UcxAvailability.check(() -> new UnsatisfiedLinkError("no epoll"), UcxFallback.NONE,
                "HTTP goes")).isInstanceOf(UcxUnavailableException.class)
                .hasMessageContaining("no epoll").hasMessageContaining("netty-transport-native-epoll");
    }
}

package io.reactorucx.core.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.ffi.ucx_h;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class UcxStatusTest {

    @ParameterizedTest
    @EnumSource(value = UcxStatus.class, mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void findsEveryStatusByItsCode(UcxStatus status) {
        assertThat(UcxStatus.of(status.code())).isSameAs(status);
        assertThat(status.description()).isNotBlank();
    }

    @Test
    void hasTheNumbersOfTheHeaders() {
        assertThat(UcxStatus.OK.code()).isEqualTo(ucx_h.UCS_OK());
        assertThat(UcxStatus.IN_PROGRESS.code()).isEqualTo(ucx_h.UCS_INPROGRESS());
        assertThat(UcxStatus.INVALID_PARAM.code()).isEqualTo(ucx_h.UCS_ERR_INVALID_PARAM());
        assertThat(UcxStatus.CANCELED.code()).isEqualTo(ucx_h.UCS_ERR_CANCELED());
        assertThat(UcxStatus.CONNECTION_RESET.code()).isEqualTo(ucx_h.UCS_ERR_CONNECTION_RESET());
        assertThat(UcxStatus.ENDPOINT_TIMEOUT.code()).isEqualTo(ucx_h.UCS_ERR_ENDPOINT_TIMEOUT());
    }

    /** The texts are written out here, since errors need them also where the library is missing. */
    @ParameterizedTest
    @EnumSource(value = UcxStatus.class, mode = EnumSource.Mode.EXCLUDE, names = {"UNKNOWN", "LINK_FAILURE",
        "ENDPOINT_FAILURE"})
    void saysWhatTheLibrarySays(UcxStatus status) {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        String text = ucx_h.ucs_status_string((byte) status.code()).reinterpret(128).getString(0);
        assertThat(text).isEqualTo(status.description());
    }

    @ParameterizedTest
    @CsvSource({"-41, LINK_FAILURE", "-59, LINK_FAILURE", "-61, ENDPOINT_FAILURE", "-79, ENDPOINT_FAILURE",
        "-81, ENDPOINT_FAILURE", "-89, ENDPOINT_FAILURE", "-26, UNKNOWN", "-39, UNKNOWN", "-90, UNKNOWN",
        "-100, UNKNOWN", "-101, UNKNOWN", "2, UNKNOWN", "2147483647, UNKNOWN", "-2147483648, UNKNOWN"})
    void mapsCodesThatItDoesNotKnow(int code, UcxStatus status) {
        assertThat(UcxStatus.of(code)).isEqualTo(status);
    }

    @Test
    void tellsWhatHelps() {
        Set<UcxStatus> lost = EnumSet.of(UcxStatus.CONNECTION_RESET, UcxStatus.NOT_CONNECTED, UcxStatus.UNREACHABLE,
                UcxStatus.ENDPOINT_TIMEOUT, UcxStatus.ENDPOINT_FAILURE, UcxStatus.LINK_FAILURE);
        Set<UcxStatus> retryable = EnumSet.of(UcxStatus.NO_RESOURCE, UcxStatus.BUSY, UcxStatus.EXCEEDS_LIMIT);
        for (UcxStatus status : UcxStatus.values()) {
            assertThat(status.isConnectionLost()).as(status.name()).isEqualTo(lost.contains(status));
            assertThat(status.isRetryable()).as(status.name()).isEqualTo(retryable.contains(status));
        }
    }

    @Test
    void saysOperationPeerStatusAndNumber() {
        assertThat(new UcxException(-25, "am_send", "10.0.0.7:1")).hasMessage(
                "am_send to 10.0.0.7:1: CONNECTION_RESET (-25), Connection reset by remote peer");
        assertThat(new UcxException(-5, "ucp_init", null))
                .hasMessage("ucp_init: INVALID_PARAM (-5), Invalid parameter");
        assertThat(new UcxException(UcxStatus.BUSY, "x", null, "a detail")).hasMessage("x: BUSY (-15), a detail");
        UcxException unknown = new UcxException(-39, "x", "y");
        assertThat(unknown.status()).isEqualTo(UcxStatus.UNKNOWN);
        assertThat(unknown.rawStatus()).isEqualTo(-39);
        assertThat(unknown).hasMessageContaining("(-39)");
        IllegalStateException cause = new IllegalStateException();
        assertThat(new UcxException(UcxStatus.BUSY, "x", null, "d", cause)).hasCause(cause);
    }

    @Test
    void namesWhatIsClosedAndWhatIsMissing() {
        UcxClosedException closed = new UcxClosedException("flush", "peer", "the endpoint is closed");
        assertThat(closed).hasMessage("flush to peer: CANCELED (-16), the endpoint is closed");
        assertThat(closed.isConnectionLost()).isFalse();
        assertThat(new UcxUnsupportedException("put", "no RMA")).hasMessage("put: UNSUPPORTED (-22), no RMA");
    }

    @Test
    void comparesVersions() {
        UcxVersion version = new UcxVersion(1, 13, 1);
        assertThat(version).hasToString("1.13.1").isGreaterThan(UcxVersion.MINIMUM).isLessThan(new UcxVersion(1, 14, 0))
                .isLessThan(new UcxVersion(2, 0, 0)).isEqualByComparingTo(new UcxVersion(1, 13, 1));
        assertThat(version.isAtLeast(1, 13)).isTrue();
        assertThat(version.isAtLeast(1, 14)).isFalse();
        assertThat(version.isAtLeast(0, 99)).isTrue();
        assertThat(version.isAtLeast(2, 0)).isFalse();
    }
}

package io.reactorucx.core.setting;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.ffi.ucx_h;
import org.junit.jupiter.api.Test;

/** Queries of UCX's variables, and of the bindings. */
class UcxVariablesTest {

    @Test
    void knowsTheVariablesOfBothKinds() {
        assertThat(UcxVariables.isKnown("UCX_TLS")).isTrue();
        assertThat(UcxVariables.isKnown("UCX_MEM_EVENTS")).isTrue();
        assertThat(UcxVariables.isKnown("UCX_TLZ")).isFalse();
        assertThat(UcxVariables.isKnown("TLS")).isFalse();
        assertThat(UcxVariables.isKnown("UCX_")).isFalse();
    }

    @Test
    void namesTheNearestVariableOfBothKinds() {
        assertThat(UcxVariables.nearest("UCX_TLZ")).isEqualTo("UCX_TLS");
        assertThat(UcxVariables.nearest("UCX_MEM_EVENT")).isEqualTo("UCX_MEM_EVENTS");
    }

    @Test
    void namesTheHeadersOfTheBindings() {
        assertThat(Ucx.headersVersion()).isEqualTo(new UcxVersion(ucx_h.UCP_API_MAJOR(), ucx_h.UCP_API_MINOR(), 0));
    }
}

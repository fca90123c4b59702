package io.reactorucx.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocalityTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # host, PID, network and IPC namespace of the other side; both reach the network, both sleep
            1, 2, 3, 4, true,  true,  false
            1, 9, 3, 4, true,  true,  true
            1, 9, 3, 4, false, true,  false
            1, 2, 9, 4, true,  true,  true
            1, 2, 9, 4, true,  false, false
            1, 2, 9, 4, false, true,  false
            1, 2, 3, 9, true,  false, true
            1, 2, 3, 9, false, false, false
            9, 9, 9, 9, true,  true,  false
            0, 9, 9, 9, true,  true,  false
            """)
    void connectsOverTheNetworkWhereSharedMemoryDoesNotServeOneHost(long host, long processes, long network,
            long ipc, boolean reaches, boolean sleeps, boolean expected) {
        Locality one = new Locality(1, 2, 3, 4, reaches, sleeps, false);
        Locality other = new Locality(host, processes, network, ipc, reaches, sleeps, false);
        assertThat(one.connectsOverNetwork(other)).isEqualTo(expected).isEqualTo(other.connectsOverNetwork(one));
    }

    @Test
    void namesTheNamespacesAndTheSideThatHasNoOtherTransport() {
        Locality here = new Locality(1, 2, 3, 4, true, true, false);
        Locality alone = new Locality(1, 7, 3, 4, false, true, false);
        assertThat(Locality.mismatch(here, alone)).contains("PID namespaces", "at the server:");
        assertThat(Locality.mismatch(alone, here)).contains("PID namespaces", "at the client:");
        assertThat(Locality.mismatch(alone, new Locality(1, 7, 4, 4, false, false, false)))
                .contains("network namespaces", "at either side:");
        assertThat(Locality.mismatch(alone, new Locality(1, 7, 3, 9, false, false, false))).contains("IPC namespaces",
                "at either side:");
        assertThat(Locality.mismatch(here, new Locality(1, 7, 4, 9, true, true, false))).isNull();
        assertThat(Locality.mismatch(alone, new Locality(5, 5, 5, 5, false, true, false))).isNull();
        assertThat(Locality.mismatch(alone, Locality.UNKNOWN)).isNull();
    }

    @Test
    void saysWhySharedMemoryDoesNotServe() {
        Locality here = new Locality(1, 2, 3, 4, true, true, false);
        assertThat(here.withoutSharedMemory(here)).isNull();
        assertThat(here.withoutSharedMemory(Locality.UNKNOWN)).isNull();
        assertThat(Locality.UNKNOWN.withoutSharedMemory(here)).isNull();
        assertThat(here.withoutSharedMemory(new Locality(5, 2, 3, 4, true, true, false))).contains("different hosts");
        assertThat(here.withoutSharedMemory(new Locality(1, 7, 3, 4, true, true, false))).contains("PID namespaces");
    }

    @Test
    void travels() {
        Locality sent = new Locality(Long.MIN_VALUE, 2, 3, 4, false, true, false);
        assertThat(Locality.of(ByteBuffer.wrap(sent.toBytes()))).isEqualTo(sent);
        assertThat(Locality.here(true, false, true)).satisfies(here -> {
            assertThat(here.host()).isNotZero();
            assertThat(here.processes()).isNotZero();
            assertThat(here.network()).isNotZero();
            assertThat(here.ipc()).isNotZero();
            assertThat(here.reachesNetwork()).isTrue();
            assertThat(here.sleeps()).isFalse();
        });
    }
}

package io.reactorucx.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether more loops than the shared memory has room for are warned of. */
class SharedMemoryRoomTest {

    private static final long DOCKERS_DEFAULT = 64L << 20;

    @Test
    void oneLoopTooManyIsWarnedOf() {
        assertThat(SharedMemoryRoom.shortage(15, List.of(), DOCKERS_DEFAULT)).isNull();
        assertThat(SharedMemoryRoom.shortage(16, List.of(), DOCKERS_DEFAULT)).startsWith(
                "16 loops take up to 70400000 bytes of shared memory, and /dev/shm has room for 67108864: ")
                .contains("--shm-size=1g", "reactor.ucx.netty.loops");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "self,sysv,tcp", "^shm", "^posix,sysv", "rc_v,tcp"})
    void transportsThatDoNotUseItNeedNone(String transports) {
        assertThat(SharedMemoryRoom.shortage(1, List.of(transports.split(",")), 0)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp,posix", "^tcp", "all"})
    void transportsThatUseItNeedSome(String transports) {
        assertThat(SharedMemoryRoom.shortage(1, List.of(transports.split(",")), 0)).isNotNull();
    }
}

package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.internal.EndpointInfo;
import io.reactorucx.core.internal.LoadedLibraries;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Parsing of text that UCX and the kernel print. */
class PrintedTextTest {

    private static final String ENDPOINT = """
            #
            # UCP endpoint server
            #
            #               peer: <no debug data>
            #                 lane[0]:  2:self/memory0.0 md[2]    -> cm cm_idx#0
            #                 lane[1]:  1:posix/memory.0 md[1]    -> md[1]/posix/sysdev[255] am am_bw#0
            #                 lane[2]:  0:tcp/lo.0 md[0]          -> md[0]/tcp/sysdev[255] rma_bw#0
            #                 lane[3]:  0:tcp/eth0.0 md[0]        -> md[0]/tcp/sysdev[255] rma_bw#1
            #                 lane[4]:  0:tcp/lo.1 md[0]          -> md[0]/tcp/sysdev[255] rma_bw#2
            #                 lane[5]: 12:rc_mlx5/mlx5_0:1.0 md[4] -> md[4]/ib/sysdev[0] wireup
            #
            #                tag_send: 0..<egr/short>..92..<egr/bcopy>..8248..<rndv>..(inf)
            """;

    private static final String MAPS = """
            00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/dbus-daemon
            7f2c0000-7f2d0000 rw-p 00000000 00:00 0
            7f2d0000-7f2e0000 r--p 00000000 08:01 55          /usr/lib/x86_64-linux-gnu/libucp.so.0.0.0
            7f2e0000-7f2f0000 r-xp 00000000 08:01 55          /usr/lib/x86_64-linux-gnu/libucp.so.0.0.0
            7f2f0000-7f300000 r-xp 00000000 08:01 56          /opt/a folder/lib/libucs.so.0
            7f300000-7f310000 r-xp 00000000 08:01 57          /usr/lib/libucp.so.d/other
            7fff0000-7fff2000 rw-p 00000000 00:00 0           [stack]
            """;

    @Test
    void readsTransportsOfEndpoint() {
        assertThat(EndpointInfo.transports(ENDPOINT))
                .containsExactly("self/memory0", "posix/memory", "tcp/lo", "tcp/eth0", "rc_mlx5/mlx5_0:1");
    }

    @Test
    void readsNoTransportsOfEndpointThatIsNotConnected() {
        assertThat(EndpointInfo.transports("# UCP endpoint\n#   lane[0]:  cm rdmacm\n")).isEmpty();
        assertThat(EndpointInfo.transports("")).isEmpty();
    }

    @Test
    void findsLoadedLibraries() {
        assertThat(LoadedLibraries.find(MAPS.lines(), "libucp.so"))
                .contains(Path.of("/usr/lib/x86_64-linux-gnu/libucp.so.0.0.0"));
        assertThat(LoadedLibraries.find(MAPS.lines(), "libucs.so")).contains(Path.of("/opt/a folder/lib/libucs.so.0"));
        assertThat(LoadedLibraries.find(MAPS.lines(), "libuct.so")).isEmpty();
        assertThat(LoadedLibraries.find(MAPS.lines(), "other")).contains(Path.of("/usr/lib/libucp.so.d/other"));
        assertThat(LoadedLibraries.find(Stream.of("", "junk", "a b c d e"), "libucp.so")).isEmpty();
    }

    @Test
    void findsLibraryOfThisProcess() {
        assertThat(LoadedLibraries.find("libjvm.so")).hasValueSatisfying(path -> assertThat(path).exists());
        assertThat(LoadedLibraries.find("no such library")).isEmpty();
    }
}

package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Any user of the host may send datagrams to the sockets by which peers wake up a worker over shared memory. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class StrangeDatagramsTest implements NeedsUcx {

    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final String DATAGRAM = "0002";
    private static final int TIMES = 200;

    /** Names of the abstract datagram sockets of a process, as the kernel lists them for everybody. */
    private static List<String> sockets(long process) throws IOException {
        Set<String> inodes = new HashSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/" + process + "/fd"))) {
            for (Path each : descriptors) {
                inodes.add(Files.readSymbolicLink(each).toString().replaceAll("socket:\\[(\\d+)]", "$1"));
            }
        }
        return Files.readAllLines(Path.of("/proc/net/unix")).stream().map(line -> line.trim().split("\\s+"))
                .filter(line -> line.length == 8 && line[4].equals(DATAGRAM) && inodes.contains(line[6])
                        && line[7].startsWith("@")).map(line -> line[7].substring(1)).toList();
    }

    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(Linker.nativeLinker().defaultLookup().findOrThrow(name), descriptor,
                Linker.Option.critical(true));
    }

    /** Sends datagrams to a socket; the kernel refuses some while its queue is full. */
    private static void send(List<String> names, int bytes) throws Throwable {
        int descriptor = (int) function("socket", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)).invokeExact(AF_UNIX, SOCK_DGRAM, 0);
        assertThat(descriptor).isNotNegative();
        MethodHandle sendto = function("sendto", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT));
        int dontWait = 0x40;
        try (Arena arena = Arena.ofConfined()) {
            for (String name : names) {
                byte[] path = name.getBytes(StandardCharsets.ISO_8859_1);
                MemorySegment address = arena.allocate(Short.BYTES + 1 + path.length);
                address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
                MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, Short.BYTES + 1, path.length);
                for (int i = 0; i < TIMES; i++) {
                    long sent = (long) sendto.invokeExact(descriptor, arena.allocate(Math.max(bytes, 1)), (long) bytes,
                            dontWait, address, (int) address.byteSize());
                    assertThat(i > 0 || sent == bytes).as("the first datagram to @%s", name).isTrue();
                }
            }
        } finally {
            int closed = (int) function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
                    .invokeExact(descriptor);
            assertThat(closed).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"default, 0", "default, 1", "default, 2", "default, 5000", "posix, 0", "sysv, 0"})
    void processLivesAndServes(String transports, int bytes) throws Throwable {
        try (ChildJvm server = ChildJvm.of(EndingPrograms.class).options("-Xmx256m")
                .arguments("serve", transports).start()) {
            String port = server.awaitLine(EndingPrograms.READY).split(" ")[1];
            List<String> sockets = sockets(server.handle().pid());
            assertThat(sockets).isNotEmpty();

            send(sockets, bytes);

            try (ChildJvm client = ChildJvm.of(EndingPrograms.class).options("-Xmx256m")
                    .arguments("bulk", transports, port).start()) {
                client.awaitLine(EndingPrograms.FLOWING);
                send(sockets(client.handle().pid()), bytes);
                send(sockets, bytes);
                client.handle().destroyForcibly();
            }
            server.send("end");
            ChildJvm.Result result = server.result();
            assertThat(result.exitCode()).as(result.output()).isZero();
            assertThat(result.output()).contains(EndingPrograms.DONE + "leases=0");
        }
    }
}

package io.reactorucx.core.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.TestTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process is told from one that has ended, and from a later one with its id. */
@Tag("slow")
class ProcessIdentityTest {

    private static final ProcessIdentity SELF = ProcessIdentity.self();

    private static ProcessIdentity process(long id) {
        return new ProcessIdentity(SELF.namespace(), (int) id);
    }

    @Test
    void startOfARunningProcessStaysTheSame() {
        assertThat(SELF.id()).isEqualTo((int) ProcessHandle.current().pid());
        assertThat(SELF.startedAt()).isPresent().isEqualTo(SELF.startedAt());
    }

    @Test
    void processThatHasEndedHasNoStart() throws IOException, InterruptedException {
        Process child = new ProcessBuilder("cat").start();
        try {
            assertThat(process(child.pid()).startedAt()).isPresent();
            assertThat(process(child.pid()).startedAt().getAsLong())
                    .isGreaterThanOrEqualTo(SELF.startedAt().getAsLong());
        } finally {
            child.destroyForcibly();
        }
        child.waitFor();
        assertThat(process(child.pid()).startedAt()).isEmpty();
    }

    /** Its parent does not wait for it. */
    @Test
    void processWhoseEndItsParentHasNotNoticedHasNoStart() throws IOException {
        Process parent = new ProcessBuilder("sh", "-c",
                "exec 3<&0; head -n 1 <&3 > /dev/null & echo $!; exec tail -f /dev/null").start();
        try (BufferedReader output = parent.inputReader(); Writer input = parent.outputWriter()) {
            ProcessIdentity child = process(Long.parseLong(output.readLine()));
            // The shell would have waited for its child; tail does not.
            await().atMost(TestTime.seconds(20)).until(() -> parent.info().command()
                    .filter(command -> command.endsWith("tail")).isPresent());
            assertThat(child.startedAt()).isPresent();
            input.write("\n");
            input.flush();

            await().atMost(TestTime.seconds(20)).until(() -> child.startedAt().isEmpty());

            assertThat(ProcessHandle.of(child.id())).as("the kernel still knows it").isPresent();
        } finally {
            parent.destroyForcibly();
        }
    }

    /** As a server sees its clients; the first is over IPv4 in a socket of IPv6, as the JDK's are. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void processIsThatOfItsOwnSocketsOnly(String address) throws IOException, InterruptedException {
        Process other = new ProcessBuilder("cat").start();
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(address, 0));
                SocketChannel client = SocketChannel.open(server.getLocalAddress());
                SocketChannel accepted = server.accept()) {
            InetSocketAddress remote = (InetSocketAddress) accepted.getRemoteAddress();
            InetSocketAddress local = (InetSocketAddress) accepted.getLocalAddress();

            assertThat(SELF.hasSocket(remote, local)).isTrue();
            assertThat(process(other.pid()).hasSocket(remote, local)).isFalse();
            assertThat(new ProcessIdentity(SELF.namespace() + 1, SELF.id()).hasSocket(remote, local)).isFalse();
            assertThat(SELF.hasSocket(new InetSocketAddress(address, 1), local)).as("no such socket").isFalse();
            assertThat(SELF.hasSocket((InetSocketAddress) server.getLocalAddress(),
                    new InetSocketAddress(address, 1))).as("a socket that listens").isFalse();
            assertThat(client.isConnected()).isTrue();
        } finally {
            other.destroyForcibly();
        }
        other.waitFor();
    }

    @Test
    void processesOfOtherNamespacesAndHostsCannotBeSeen() {
        assertThat(new ProcessIdentity(SELF.namespace() + 1, SELF.id()).startedAt()).isEmpty();
        assertThat(SELF.canWatch(new ProcessIdentity(SELF.namespace() + 1, SELF.id()))).isFalse();
        assertThat(SELF.canWatch(ProcessIdentity.UNKNOWN)).isFalse();
        assertThat(ProcessIdentity.UNKNOWN.startedAt()).isEmpty();
        assertThat(SELF.canWatch(SELF)).isTrue();
    }
}

package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** A client that connects by name tries the addresses of the name in turn, and says which it could not reach. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ConnectByNameTest implements NeedsUcx {

    private static final String NAME = "both.test";

    @TempDir
    private Path directory;
    private UcxResources resources;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null,
                "this host has no IPv6 on its loopback interface");
        resources = UcxResources.builder().transports("tcp").build();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            resources.disposeNow();
        }
    }

    /** Connects in a process whose resolver gives 127.0.0.1 and then ::1 for the name. */
    private String connect(int port) throws IOException {
        Path hosts = Files.write(directory.resolve("hosts"), List.of("127.0.0.1 " + NAME, "::1 " + NAME));
        ChildJvm.Result result = ChildJvm.of(NameClient.class).options("-Djdk.net.hosts.file=" + hosts)
                .arguments(NAME, String.valueOf(port)).run();
        assertThat(result.exitCode()).as("%s", result.output()).isZero();
        return result.output();
    }

    private UcxBoundServer bind(String host, int port) {
        return UcxServer.create(resources).bindAddress(host, port).handle(connection -> Mono.never()).bindNow();
    }

    @Test
    void serverOnTheSecondAddressOnlyIsReached() throws IOException {
        UcxBoundServer server = bind("::1", 0);

        assertThat(connect(server.port())).contains(NameClient.CONNECTED + "[0:0:0:0:0:0:0:1]:" + server.port());
    }

    @Test
    void firstAddressThatDoesNotAnswerLeavesTimeForTheSecond() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            bind("::1", silent.getLocalPort());

            assertThat(connect(silent.getLocalPort())).contains(NameClient.CONNECTED + "[0:0:0:0:0:0:0:1]:");
        }
    }

    @Test
    void firstAddressThatConnectsIsUsed() throws IOException {
        UcxBoundServer server = bind("127.0.0.1", 0);

        assertThat(connect(server.port())).contains(NameClient.CONNECTED + "127.0.0.1:" + server.port());
    }

    @Test
    void errorNamesAllAddressesWhenNoneConnectsAndIsRetryable() throws IOException {
        int port = freePort();

        assertThat(connect(port)).contains(NameClient.FAILED + "NOT_CONNECTED true connect to " + NAME + ":" + port)
                .contains("none of the 2 addresses", "127.0.0.1:" + port, "[0:0:0:0:0:0:0:1]:" + port);
    }

    @Test
    void rejectionByTheFirstAddressIsTheAnswer() throws IOException {
        UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0)
                .authenticator(HandshakePair.secret()).handle(connection -> Mono.never()).bindNow();
        bind("::1", server.port());

        assertThat(connect(server.port())).contains(NameClient.FAILED + "REJECTED false")
                .contains("127.0.0.1:" + server.port());
    }

    @Test
    void nameWithoutAddressIsARetryableErrorThatSaysSo() {
        UcxClient client = UcxClient.create(resources).remoteAddress("no.such.host.invalid", 4711);

        assertThatThrownBy(() -> client.connect().block(Waits.PATIENCE))
                .isInstanceOfSatisfying(UcxException.class, error -> {
                    assertThat(error.status()).isEqualTo(UcxStatus.UNREACHABLE);
                    assertThat(error.isRetryable()).isTrue();
                    assertThat(error.peer()).isEqualTo("no.such.host.invalid:4711");
                }).hasMessageContaining("no known address");
    }

    @Test
    void refusedConnectionIsRetryable() throws IOException {
        UcxClient client = UcxClient.create(resources)
                .remoteAddress(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), freePort()));

        assertThatThrownBy(() -> client.connect().block(Waits.PATIENCE))
                .isInstanceOfSatisfying(UcxException.class, error -> {
                    assertThat(error.status()).isEqualTo(UcxStatus.NOT_CONNECTED);
                    assertThat(error.isRetryable()).isTrue();
                });
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("::"))) {
            return free.getLocalPort();
        }
    }
}

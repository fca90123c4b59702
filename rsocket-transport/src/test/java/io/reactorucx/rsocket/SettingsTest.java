package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** The settings of the transports, and wrong arguments. */
@ExtendWith(NoLeaks.class)
class SettingsTest {

    private static final int MAX_FRAME = (1 << 24) - 1;

    private static UcxResources resources;

    @BeforeAll
    static void build() {
        resources = TestResources.resources("posix");
    }

    @AfterAll
    static void dispose() {
        resources.disposeNow();
    }

    private static UcxServerTransport server() {
        return UcxServerTransport.create(UcxServer.create(resources));
    }

    private static UcxClientTransport client() {
        return UcxClientTransport.create(UcxClient.create(resources).remoteAddress(TestResources.HOST, 1));
    }

    @Test
    void aSetterChangesACopy() {
        UcxServerTransport server = server();
        UcxClientTransport client = client();

        assertThat(server.maxFrameLength(64).maxFrameLength()).isEqualTo(64);
        assertThat(server.maxFrameLength()).isEqualTo(MAX_FRAME);
        assertThat(client.maxFrameLength(1000).maxQueuedBytes(1).maxFrameLength()).isEqualTo(1000);
        assertThat(client.maxFrameLength()).isEqualTo(MAX_FRAME);
        assertThat(client.statistics()).isEqualTo(new UcxTransportStatistics(0, 0, 0));
    }

    @Test
    void wrongLimitsAreNamedWithTheirRule() {
        for (int wrong : new int[] {-1, 63, MAX_FRAME + 1}) {
            assertThatIllegalArgumentException().isThrownBy(() -> server().maxFrameLength(wrong))
                    .withMessage("maxFrameLength " + wrong + ": must be in 64..16777215");
            assertThatIllegalArgumentException().isThrownBy(() -> client().maxFrameLength(wrong))
                    .withMessage("maxFrameLength " + wrong + ": must be in 64..16777215");
        }
        assertThatIllegalArgumentException().isThrownBy(() -> server().maxQueuedBytes(0))
                .withMessage("maxQueuedBytes 0: must be at least 1");
        assertThatIllegalArgumentException().isThrownBy(() -> client().maxQueuedBytes(-5))
                .withMessage("maxQueuedBytes -5: must be at least 1");
    }

    @Test
    @SuppressWarnings("DataFlowIssue")
    void nullIsRefusedByName() {
        assertThatNullPointerException().isThrownBy(() -> UcxServerTransport.create(null)).withMessage("server");
        assertThatNullPointerException().isThrownBy(() -> UcxClientTransport.create(null)).withMessage("client");
        assertThatNullPointerException().isThrownBy(() -> server().allocator(null)).withMessage("allocator");
        assertThatNullPointerException().isThrownBy(() -> client().allocator(null)).withMessage("allocator");
        assertThatNullPointerException().isThrownBy(() -> server().start(null)).withMessage("acceptor");
    }

    @Test
    void addressesAreCheckedAsThoseOfServersAndClients() {
        assertThatIllegalArgumentException().isThrownBy(() ->
                UcxServerTransport.create(resources, TestResources.HOST, 65536)).withMessageContaining("port 65536");
        assertThatIllegalArgumentException().isThrownBy(() ->
                UcxClientTransport.create(resources, TestResources.HOST, 0)).withMessageContaining("port 0");
    }

    @Test
    void rawPeersAreRefusedAtOnce() {
        assertThatIllegalArgumentException().isThrownBy(() ->
                UcxClientTransport.create(UcxClient.create(resources).raw(true)))
                .withMessageStartingWith("client UcxClient[").withMessageContaining("raw(true) has no messages");
        assertThatIllegalArgumentException().isThrownBy(() ->
                UcxServerTransport.create(UcxServer.create(resources).raw(true)))
                .withMessageStartingWith("server UcxServer[").withMessageContaining("raw(true) has no messages");
    }

    @Test
    void aBlankHostIsNotThisHost() {
        for (String blank : new String[] {"", " "}) {
            String message = "host \"" + blank + "\": must be a name or an address, not blank";
            assertThatIllegalArgumentException().isThrownBy(() ->
                    UcxServerTransport.create(resources, blank, 0)).withMessage(message);
            assertThatIllegalArgumentException().isThrownBy(() ->
                    UcxClientTransport.create(resources, blank, 1)).withMessage(message);
        }
    }

    /** Over shared memory, which UCX takes. */
    @Test
    void whatClientOrServerRequireIsRequiredOfRSocketsConnections() {
        try (TestResources both = new TestResources("posix,tcp")) {
            UcxServer plain = UcxServer.create(both.server()).bindAddress(TestResources.HOST, 0);
            for (boolean ofServer : new boolean[] {true, false}) {
                UcxBoundTransport server = RSocketServer.create(SocketAcceptor.forRequestResponse(Mono::just))
                        .bindNow(UcxServerTransport.create(ofServer ? plain.require(UcxTransportKind.TCP) : plain));
                UcxClient client = UcxClient.create(both.client()).remoteAddress(server.address());

                StepVerifier.create(UcxClientTransport.create(ofServer ? client : client.require(UcxTransportKind.TCP))
                        .connect()).expectErrorSatisfies(error -> assertThat(error)
                        .hasMessageContaining("the data has to go over tcp, which the ")).verify(TestResources.LIMIT);
                both.awaitNothingLeft();
                server.dispose();
            }
        }
    }

    @Test
    void aClientWithoutAnAddressFailsToConnect() {
        StepVerifier.create(UcxClientTransport.create(UcxClient.create(resources)).connect())
                .expectErrorSatisfies(error -> assertThat(error).hasMessageContaining("no address"))
                .verify(TestResources.LIMIT);
    }
}

package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxTransportKind;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What listens on the other host, and what leaves it, by the kernel's own account. */
class ExposureTest {

    private static final int BYTES = 16 << 20;
    /** The handshake, heartbeats and the end of a connection. */
    private static final int MAX_TCP_BYTES = 64 << 10;
    private static final Pattern COUNTER = Pattern.compile("counter (\\w+) \\{\\s*packets \\d+ bytes (\\d+)");
    private static final Pattern LISTENING = Pattern.compile("(?m)^LISTEN.*?:(\\d+)\\s");

    @BeforeEach
    void count() {
        assumeFalse(OtherHost.isHere(), "needs two hosts");
        OtherHost.run("""
                nft -f - <<'RULES'
                table inet rdma {
                    counter of_tcp { }
                    counter of_roce { }
                    chain out {
                        type filter hook output priority 0
                        oifname "eth0" meta l4proto tcp counter name of_tcp
                        oifname "eth0" udp dport 4791 counter name of_roce
                    }
                }
                RULES
                """).require();
    }

    @AfterEach
    void stop() {
        if (!OtherHost.isHere()) {
            OtherHost.run("nft delete table inet rdma").require();
        }
    }

    @ParameterizedTest
    @EnumSource
    void payloadLeavesOverRdmaAlone(Verbs verbs) {
        try (ServerProcess server = ServerProcess.start(verbs);
                Client client = Client.connect(verbs, ErrorMode.PEER, server.port())) {
            requirePayloadOverRoce(client.connection());
        }
    }

    /** Both sides have tcp, too, and require RDMA. */
    @ParameterizedTest
    @EnumSource
    void payloadLeavesOverRdmaAloneWhereItIsRequired(Verbs verbs) {
        try (ServerProcess server = ServerProcess.start(verbs.transport() + ",tcp", "require-rdma",
                "NET_DEVICES=all")) {
            UcxResources resources = Verbs.resources(verbs.transport(), "tcp").setting("NET_DEVICES", "all").build();
            try {
                UcxConnection connection = UcxClient.create(resources).require(UcxTransportKind.RDMA)
                        .remoteAddress(OtherHost.address(), server.port()).connectTimeout(Client.LIMIT)
                        .maxMessageBytes(2L * EchoServer.WINDOW_BYTES).connectNow(Client.LIMIT);
                requirePayloadOverRoce(connection);
                connection.disposeNow(Client.LIMIT);
            } finally {
                resources.disposeNow();
            }
            server.end(ErrorMode.PEER);
        }
    }

    private static void requirePayloadOverRoce(UcxConnection connection) {
        assertThat(connection.requester().requestResponse(new byte[BYTES]).block(Client.LIMIT)).hasSize(BYTES);
        String counters = OtherHost.run("nft list counters").require();
        assertThat(bytes(counters, "of_roce")).as(counters).isGreaterThan(BYTES);
        assertThat(bytes(counters, "of_tcp")).as(counters).isBetween(1L, (long) MAX_TCP_BYTES);
    }

    private static long bytes(String counters, String name) {
        return COUNTER.matcher(counters).results().filter(counter -> counter.group(1).equals(name))
                .mapToLong(counter -> Long.parseLong(counter.group(2))).sum();
    }

    @ParameterizedTest
    @EnumSource
    void onlyThePortOfTheHandshakeListens(Verbs verbs) {
        try (ServerProcess server = ServerProcess.start(verbs);
                Client client = Client.connect(verbs, ErrorMode.PEER, server.port())) {
            assertThat(client.resources().listeningAddresses()).isEmpty();
            assertThat(LISTENING.matcher(OtherHost.run("ss -Hltn").require()).results()
                    .map(socket -> Integer.parseInt(socket.group(1)))).containsExactly(server.port());
        }
    }
}

package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of connections, workers and contexts. */
abstract class CloseContract extends LinkContract {

    CloseContract(Link link) {
        super(link);
    }

    private void assumePeer() {
        assumeTrue(link.errorMode() == ErrorMode.PEER, link + " reports no failures and closes nothing by force");
    }

    @Test
    void deliversWhatWasSentBeforeFlushingClose() {
        List<Outcome> sent = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sent.add(pair.send(Pair.EMPTY, Pair.pattern(1000), AmProtocol.EAGER));
        }
        sent.forEach(pair::awaitOk);
        Outcome closed = Outcome.of(done -> pair.toServer.close(CloseMode.FLUSH, done));
        if (!link.isSelf()) {
            Outcome other = Outcome.of(done -> pair.toClient.close(CloseMode.FLUSH, done));
            pair.await(other);
        }
        pair.awaitOk(closed);
        pair.until(() -> pair.received.size() == 50, "50 messages");
        assertThat(pair.client.endpoints()).isEmpty();
        assertThat(pair.server.endpoints()).isEmpty();
    }

    @Test
    void reportsGracefulCloseToPeer() {
        assumePeer();
        Outcome closed = Outcome.of(done -> pair.toServer.close(CloseMode.FLUSH, done));
        pair.until(() -> !pair.errors.isEmpty(), "an error at the peer");
        assertThat(pair.errors).containsExactly(UcxStatus.CONNECTION_RESET);
        assertThat(UcxStatus.of(pair.toClient.failure())).isEqualTo(UcxStatus.CONNECTION_RESET);
        assertUnusable(pair.toClient);
        pair.awaitOk(Outcome.of(done -> pair.toClient.close(CloseMode.FORCE, done)));
        pair.awaitOk(closed);
    }

    @Test
    void reportsForcedCloseToPeer() {
        assumePeer();
        pair.awaitOk(Outcome.of(done -> pair.toServer.close(CloseMode.FORCE, done)));
        pair.until(() -> !pair.errors.isEmpty(), "an error at the peer");
        assertThat(pair.errors).hasSize(1).allMatch(UcxStatus::isConnectionLost);
        assertUnusable(pair.toClient);
        Outcome unflushed = Outcome.of(done -> pair.toClient.close(CloseMode.FLUSH, done));
        assertThat(pair.await(unflushed)).as("a flush towards a peer that is gone").isNotEqualTo(UcxStatus.OK);
        assertThat(pair.server.endpoints()).isEmpty();
    }

    private void assertUnusable(UcpEndpoint endpoint) {
        assertThatThrownBy(() -> endpoint.tagSend(Pair.EMPTY, null, 1, new Outcome()))
                .isInstanceOfSatisfying(UcxException.class, e -> {
                    assertThat(e.isConnectionLost()).isTrue();
                    assertThat(e.operation()).isEqualTo("tag_send");
                    assertThat(e.peer()).isEqualTo(endpoint.peer());
                });
        assertThat(endpoint.inFlight()).isZero();
    }

    @Test
    void endsOperationsInFlightWhenClosedByForce() {
        assumePeer();
        List<Outcome> sent = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            sent.add(pair.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.RENDEZVOUS));
            sent.add(Outcome.of(done -> pair.toServer.tagSendSync(Pair.pattern(10), null, 1, done)));
        }
        pair.until(() -> pair.received.size() == 5, "the offers");
        assertThat(sent).noneMatch(Outcome::isDone);
        pair.awaitOk(Outcome.of(done -> pair.toServer.close(CloseMode.FORCE, done)));
        sent.forEach(outcome -> assertThat(pair.await(outcome)).isNotEqualTo(UcxStatus.OK));
        assertThat(pair.client.inFlight()).isZero();
        pair.received.forEach(pair.server.activeMessages()::release);
    }

    @Test
    void failsFetchOfOfferWhoseSenderIsGone() {
        assumePeer();
        Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.RENDEZVOUS);
        UcpActiveMessage message = pair.awaitMessage();
        pair.awaitOk(Outcome.of(done -> pair.toServer.close(CloseMode.FORCE, done)));
        assertThat(pair.await(sent)).isNotEqualTo(UcxStatus.OK);
        pair.until(() -> !pair.errors.isEmpty(), "an error at the peer");
        UcxStatus status;
        try {
            Outcome fetched = Outcome.of(
                    done -> pair.server.activeMessages().fetch(message, Arena.ofAuto().allocate(1 << 20), null, done));
            status = pair.await(fetched);
        } catch (UcxException e) {
            status = e.status();
        }
        assertThat(status).isNotEqualTo(UcxStatus.OK);
        assertThat(pair.server.activeMessages().held()).isZero();
        assertThat(pair.server.inFlight()).isZero();
    }

    @Test
    void endsFetchInFlightWhenSenderCloses() {
        assumePeer();
        Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(64 << 20), AmProtocol.RENDEZVOUS);
        UcpActiveMessage message = pair.awaitMessage();
        Outcome fetched = Outcome.of(
                done -> pair.server.activeMessages().fetch(message, Arena.ofAuto().allocate(64 << 20), null, done));
        pair.step();
        pair.awaitOk(Outcome.of(done -> pair.toServer.close(CloseMode.FORCE, done)));
        pair.until(() -> sent.isDone() && fetched.isDone(), "an end of both operations");
        assertThat(fetched.status() == UcxStatus.OK && fetched.length() != 64 << 20).as("a success that is none")
                .isFalse();
    }

    @Test
    void closesWorkerWithOffersThatWereNotFetched() {
        Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.RENDEZVOUS);
        UcpActiveMessage offer = pair.awaitMessage();
        assertThat(pair.server.activeMessages().held()).isEqualTo(1);
        if (link.errorMode() == ErrorMode.PEER) {
            pair.awaitOk(Outcome.of(done -> pair.toServer.close(CloseMode.FORCE, done)));
            pair.await(sent);
        } else {
            assertThatThrownBy(() -> pair.toServer.close(CloseMode.FLUSH, new Outcome()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1 operations are in flight");
            pair.server.activeMessages().release(offer);
            pair.awaitOk(sent);
        }
    }

    @Test
    void refusesToCloseContextAndWorkerThatAreInUse() {
        assertThatThrownBy(pair.context::close).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("workers");
        assertThatThrownBy(pair.client::close).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1 endpoints");
        assertThat(pair.context.isClosed()).isFalse();
        assertThat(pair.client.isClosed()).isFalse();
        pair.assertStillWorks();
    }
}

package io.reactorucx.examples.store.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.replica.PairReplica.Role;
import io.reactorucx.examples.store.wire.Batch;
import io.reactorucx.examples.store.wire.Change;
import io.reactorucx.examples.store.wire.JoinPart;
import io.reactorucx.examples.store.wire.JoinRequest;
import io.reactorucx.examples.store.wire.Reply;
import io.reactorucx.examples.store.wire.Reply.Outcome;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Two nodes of a pair, which call each other directly, and a registry that is a set. */
class PairReplicaTest {

    private static UcxResources resources;

    private final Set<String> registry = ConcurrentHashMap.newKeySet();
    private final @Nullable TestNode[] nodes = new TestNode[2];
    private boolean cut;
    private VirtualTimeScheduler time;

    private final Peers peers = new Peers() {

        @Override
        public Mono<Boolean> replicate(int node, Batch batch) {
            return Mono.defer(() -> cut ? Mono.never() : Mono.just(nodes[node].replica.replicate(batch)));
        }

        @Override
        public Flux<JoinPart> join(int node, JoinRequest request) {
            return Flux.defer(() -> cut ? Flux.never() : nodes[node].replica.join(request));
        }
    };

    @BeforeAll
    static void open() {
        resources = UcxResources.builder().transports("self", "tcp").networkDevices("lo").build();
    }

    @AfterAll
    static void end() {
        resources.disposeNow();
    }

    @BeforeEach
    void takeTime() {
        time = VirtualTimeScheduler.getOrSet();
    }

    @AfterEach
    void close() {
        VirtualTimeScheduler.reset();
        for (TestNode node : nodes) {
            if (node != null) {
                node.close();
            }
        }
        assertThat(resources.buffers().leases()).isZero();
    }

    private TestNode start(int number) {
        TestNode node = new TestNode(number, resources, registry, peers);
        nodes[number] = node;
        return node;
    }

    /** Node 0 is the primary, node 1 the backup. */
    private void startBoth() {
        start(0);
        start(1);
        nodes[0].tick();
        nodes[1].tick();
        assertThat(nodes[0].role()).isEqualTo(Role.PRIMARY);
        assertThat(nodes[1].role()).isEqualTo(Role.BACKUP);
    }

    private static void assertValue(Reply reply, String value) {
        assertThat(reply.outcome()).as(reply::toString).isEqualTo(Outcome.FOUND);
        assertThat(new String(reply.value(), UTF_8)).isEqualTo(value);
    }

    private static void assertDone(AtomicReference<Reply> reply) {
        assertThat(reply.get()).isNotNull().extracting(Reply::outcome).isEqualTo(Outcome.DONE);
    }

    @Test
    void aWriteIsAcknowledgedWhenBothHaveIt() {
        startBoth();
        AtomicReference<Reply> first = nodes[0].write(1);
        AtomicReference<Reply> second = nodes[0].write(2);

        assertDone(first);
        assertDone(second);
        assertThat(second.get().version()).isEqualTo(first.get().version() + 1);
        for (TestNode node : nodes) {
            assertValue(node.get(), "2");
            assertThat(node.get().version()).isEqualTo(second.get().version());
        }
        assertThat(nodes[1].write(3).get().outcome()).isEqualTo(Outcome.RETRY);
    }

    @Test
    void aDeletedKeyIsGoneOnBoth() {
        startBoth();
        assertDone(nodes[0].write(1));
        AtomicReference<Reply> deleted = new AtomicReference<>();
        nodes[0].replica.write(TestNode.KEY, null, Long.MAX_VALUE).subscribe(deleted::set);
        assertDone(deleted);
        assertThat(nodes[0].get().outcome()).isEqualTo(Outcome.NOT_FOUND);
        assertThat(nodes[1].get().outcome()).isEqualTo(Outcome.NOT_FOUND);
    }

    @Test
    void aWriteThatHasExpiredIsNotBegun() {
        startBoth();
        AtomicReference<Reply> reply = new AtomicReference<>();
        nodes[0].replica.write(TestNode.KEY, new byte[1], System.currentTimeMillis()).subscribe(reply::set);
        assertThat(reply.get().outcome()).isEqualTo(Outcome.RETRY);
        assertThat(nodes[0].get().outcome()).isEqualTo(Outcome.NOT_FOUND);
    }

    @Test
    void theBackupTakesOverWhenTheLeaseOfThePrimaryIsOver() {
        startBoth();
        assertDone(nodes[0].write(1));
        nodes[0].pause();
        nodes[1].tick();
        assertThat(nodes[1].role()).isEqualTo(Role.BACKUP);

        nodes[0].expire();
        nodes[1].tick();
        assertThat(nodes[1].role()).isEqualTo(Role.PRIMARY);
        assertValue(nodes[1].get(), "1");
        assertDone(nodes[1].write(2));
        assertValue(nodes[1].get(), "2");
    }

    @Test
    void aNodeWithoutALeaseAnswersNothing() {
        startBoth();
        assertDone(nodes[0].write(1));
        nodes[0].pause();
        nodes[1].pause();
        assertThat(nodes[0].get().outcome()).isEqualTo(Outcome.RETRY);
        assertThat(nodes[1].get().outcome()).isEqualTo(Outcome.RETRY);
        assertThat(nodes[0].write(2).get().outcome()).isEqualTo(Outcome.RETRY);
    }

    @Test
    void aWriteWhoseAcknowledgementComesAfterTheLeaseIsUnknown() {
        startBoth();
        cut = true;
        AtomicReference<Reply> reply = nodes[0].write(1);
        nodes[0].pause();
        cut = false;
        time.advanceTimeBy(ReplicaLimits.DEFAULT.replyTimeout().plus(ReplicaLimits.DEFAULT.pause()));
        assertThat(reply.get().outcome()).isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void aBackupThatCannotBeReachedHoldsWritesUpUntilItsLeaseIsOver() {
        startBoth();
        cut = true;
        AtomicReference<Reply> reply = nodes[0].write(1);
        time.advanceTimeBy(ReplicaLimits.DEFAULT.replyTimeout().multipliedBy(3));
        nodes[0].tick();
        assertThat(reply.get()).isNull();
        assertThat(nodes[0].get().outcome()).isEqualTo(Outcome.NOT_FOUND);

        nodes[1].expire();
        nodes[0].tick();
        assertDone(reply);
        assertValue(nodes[0].get(), "1");
    }

    @Test
    void aListingFromBeforeTheBackupJoinedDoesNotDropIt() {
        start(0);
        nodes[0].tick();
        assertThat(nodes[0].role()).isEqualTo(Role.PRIMARY);
        Listing old = nodes[0].listing();
        start(1);
        nodes[1].tick();
        assertThat(nodes[1].role()).isEqualTo(Role.BACKUP);

        nodes[0].replica.onListing(old);
        cut = true;
        assertThat(nodes[0].write(1).get()).as("acknowledged without the backup").isNull();
    }

    @Test
    void aNodeThatWasStartedAgainAnswersWhenItHasItsKeys() {
        startBoth();
        assertDone(nodes[0].write(1));
        nodes[0].close();
        start(0);
        nodes[0].tick();
        assertThat(nodes[0].get().outcome()).as("before the other has taken over").isEqualTo(Outcome.RETRY);

        nodes[1].tick();
        nodes[0].tick();
        assertThat(nodes[0].role()).isEqualTo(Role.BACKUP);
        assertValue(nodes[0].get(), "1");
        assertDone(nodes[1].write(2));
        assertValue(nodes[0].get(), "2");
    }

    @Test
    void aWriteWhileANodeGetsItsKeysWinsOverItsOlderEntry() {
        start(0);
        nodes[0].tick();
        assertDone(nodes[0].write("a", "1"));
        assertDone(nodes[0].write("b", "1"));
        AtomicReference<Reply> meanwhile = new AtomicReference<>();
        Peers slow = new Peers() {

            @Override
            public Mono<Boolean> replicate(int node, Batch batch) {
                return peers.replicate(node, batch);
            }

            @Override
            public Flux<JoinPart> join(int node, JoinRequest request) {
                // The old entries have been read when the write comes, and arrive after it.
                return peers.join(node, request).take(1).concatWith(Flux.defer(() -> {
                    meanwhile.set(nodes[0].write("a", "2").get());
                    return Flux.just(new JoinPart(JoinPart.Kind.ENTRIES, "", null, 0, List.of(
                            new Change(1, "a", "1".getBytes(UTF_8)), new Change(2, "b", "1".getBytes(UTF_8)))));
                }));
            }
        };
        nodes[1] = new TestNode(1, resources, registry, slow);
        nodes[1].tick();
        time.advanceTimeBy(ReplicaLimits.DEFAULT.pause());

        assertThat(nodes[1].role()).isEqualTo(Role.BACKUP);
        assertValue(nodes[1].get("a"), "2");
        assertValue(nodes[1].get("b"), "1");
    }

    @Test
    void aNodeWithoutDataDoesNotBeginWhileAnotherMayHaveThem() {
        startBoth();
        assertDone(nodes[0].write(1));
        TestNode old = nodes[0];
        old.pause();
        nodes[1].close();
        nodes[1] = null;
        start(1);
        start(0);
        for (int i = 0; i < 3; i++) {
            nodes[0].tick();
            nodes[1].tick();
        }
        assertThat(nodes[0].role()).as("the old process of node 0 has a lease").isEqualTo(Role.JOINING);
        assertThat(nodes[1].role()).isEqualTo(Role.JOINING);

        old.close();
        nodes[0].tick();
        nodes[1].tick();
        assertThat(nodes[0].role()).isEqualTo(Role.PRIMARY);
    }

    @Test
    void aNodeThatHasConcededDoesNotBeginByAListingFromBefore() {
        start(1);
        Listing alone = nodes[1].listing();
        start(0);
        nodes[0].tick();
        assertThat(nodes[0].role()).isEqualTo(Role.PRIMARY);
        assertDone(nodes[0].write(1));

        nodes[1].replica.onListing(alone);
        assertThat(nodes[1].role()).isNotEqualTo(Role.PRIMARY);
        nodes[1].tick();
        assertThat(nodes[1].role()).isEqualTo(Role.BACKUP);
        assertValue(nodes[1].get(), "1");
    }

    @Test
    void aProcessThatHasLostItsLeaseGivesItsDataUp() {
        startBoth();
        assertDone(nodes[0].write(1));
        nodes[0].expire();
        nodes[1].tick();
        assertDone(nodes[1].write(2));
        nodes[0].resume();
        assertThat(nodes[0].get().outcome()).isEqualTo(Outcome.RETRY);

        nodes[0].tick();
        assertThat(nodes[0].role()).isEqualTo(Role.BACKUP);
        assertValue(nodes[0].get(), "2");
    }
}

package io.reactorucx.examples.store.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.replica.PairReplica.Role;
import io.reactorucx.examples.store.wire.Batch;
import io.reactorucx.examples.store.wire.JoinPart;
import io.reactorucx.examples.store.wire.JoinRequest;
import io.reactorucx.examples.store.wire.Reply;
import io.reactorucx.examples.store.wire.Reply.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

/**
 * Processes of two nodes are started, stand still, are killed and lose messages in any order. Whatever happens, no read
 * answers an older value than the last acknowledged one.
 */
class RandomPairTest {

    private static final int RUNS = 300;
    private static final int STEPS = 400;

    private final UcxResources resources = UcxResources.builder().transports("self", "tcp").networkDevices("lo")
            .build();
    private long acknowledged;
    private long found;
    private long takeovers;

    @AfterEach
    void close() {
        VirtualTimeScheduler.reset();
        resources.disposeNow();
    }

    @Test
    void noReadIsOlderThanTheLastAcknowledgedWrite() {
        for (int seed = 0; seed < RUNS; seed++) {
            VirtualTimeScheduler time = VirtualTimeScheduler.create();
            VirtualTimeScheduler.set(time);
            new Run(seed, time).go();
        }
        // The runs have to get somewhere.
        assertThat(acknowledged).isGreaterThan(RUNS);
        assertThat(found).isGreaterThan(RUNS);
        assertThat(takeovers).isGreaterThan(RUNS / 10);
        assertThat(resources.buffers().leases()).isZero();
    }

    /** One order of events. */
    private final class Run implements Peers {

        private final int seed;
        private final Random random;
        private final VirtualTimeScheduler time;
        private final Set<String> registry = new TreeSet<>();
        private final TestNode[] nodes = new TestNode[2];
        private final List<TestNode> gone = new ArrayList<>();
        private final List<Runnable> underWay = new ArrayList<>();
        private long begun;
        private long last;

        Run(int seed, VirtualTimeScheduler time) {
            this.seed = seed;
            this.random = new Random(seed);
            this.time = time;
        }

        void go() {
            start(0);
            start(1);
            for (int i = 0; i < STEPS; i++) {
                step();
            }
            for (TestNode node : nodes) {
                node.close();
            }
            gone.forEach(TestNode::close);
        }

        private void start(int number) {
            nodes[number] = new TestNode(number, resources, registry, this);
        }

        private void step() {
            int number = random.nextInt(2);
            TestNode node = nodes[number];
            switch (random.nextInt(20)) {
                case 0 -> {
                    // Killed: another process is started, and the lease runs out some time.
                    if (random.nextInt(3) == 0) {
                        node.pause();
                        gone.add(node);
                        start(number);
                    }
                }
                case 1 -> {
                    if (random.nextInt(3) == 0) {
                        node.pause();
                    }
                }
                case 2 -> {
                    if (!node.isHeld()) {
                        node.expire();
                    }
                    gone.forEach(TestNode::expire);
                }
                case 3 -> {
                    if (!node.isHeld()) {
                        node.resume();
                    }
                }
                case 4, 5, 6 -> deliver();
                case 7 -> time.advanceTimeBy(ReplicaLimits.DEFAULT.pause());
                case 8 -> time.advanceTimeBy(ReplicaLimits.DEFAULT.replyTimeout());
                case 9, 10, 11, 12 -> write(node);
                case 13, 14, 15 -> read(random.nextInt(4) == 0 && !gone.isEmpty()
                        ? gone.get(random.nextInt(gone.size())) : node);
                default -> {
                    Role before = node.role();
                    node.tick();
                    if (before == Role.BACKUP && node.role() == Role.PRIMARY) {
                        takeovers++;
                    }
                }
            }
        }

        private void write(TestNode node) {
            long value = ++begun;
            node.replica.write(TestNode.KEY, Long.toString(value).getBytes(UTF_8), Long.MAX_VALUE).subscribe(reply -> {
                if (reply.outcome() == Outcome.DONE) {
                    acknowledged++;
                    last = Math.max(last, value);
                }
            });
        }

        private void read(TestNode node) {
            Reply reply = node.get();
            if (reply.outcome() == Outcome.FOUND) {
                found++;
                assertThat(Long.parseLong(new String(reply.value(), UTF_8))).as("seed %d", seed)
                        .isGreaterThanOrEqualTo(last);
            }
        }

        private void deliver() {
            if (!underWay.isEmpty()) {
                underWay.remove(random.nextInt(underWay.size())).run();
            }
        }

        /** Some messages come at once, some later and in another order, some never, some without a reply. */
        private void send(Runnable delivery, Runnable lost) {
            switch (random.nextInt(8)) {
                case 0 -> lost.run();
                case 1 -> underWay.add(delivery);
                default -> delivery.run();
            }
        }

        @Override
        public Mono<Boolean> replicate(int number, Batch batch) {
            return Mono.defer(() -> {
                Sinks.One<Boolean> reply = Sinks.one();
                boolean answers = random.nextInt(8) > 0;
                send(() -> {
                    boolean taken = nodes[number].replica.replicate(batch);
                    if (answers) {
                        reply.tryEmitValue(taken);
                    }
                }, () -> { });
                return reply.asMono();
            });
        }

        @Override
        public Flux<JoinPart> join(int number, JoinRequest request) {
            return Flux.defer(() -> {
                Sinks.Many<JoinPart> parts = Sinks.many().unicast().onBackpressureBuffer();
                send(() -> nodes[number].replica.join(request).subscribe(part -> {
                    // A part that comes late keeps the order of the stream.
                    parts.tryEmitNext(part);
                }, error -> { }, () -> {
                    if (random.nextInt(8) == 0) {
                        underWay.add(parts::tryEmitComplete);
                    } else {
                        parts.tryEmitComplete();
                    }
                }), () -> parts.tryEmitError(new IllegalStateException("lost")));
                return parts.asFlux();
            });
        }
    }
}

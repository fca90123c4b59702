package io.reactorucx.examples.soak;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.memory.WindowDescriptor;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** The client of the soak: opens connections, runs traffic over them, closes them, and counts the results. */
final class Soak {

    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration SETTLED_WITHIN = Duration.ofSeconds(30);
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(30);
    private static final Duration COUNTED_WITHIN = Duration.ofMinutes(3);
    private static final int LONGEST_LIFE_SECONDS = 15;
    /** The server closes one connection of five, also one that asks for levels. */
    private static final Retry ON_ANOTHER = Retry.fixedDelay(20, Duration.ofMillis(100));
    private static final int MILLION = 1_000_000;
    private static final AtomicLong QUESTIONS = new AtomicLong();

    private final UcxClient client;
    private final UcxResources resources;
    private final int connections;
    private final double cutOff;
    private final SplittableRandom random;
    private final @Nullable PlantedLeak leak;
    private final boolean uncounted;
    private final MeterSums meters;
    private final SoakReport report = new SoakReport();

    Soak(UcxClient client, UcxResources resources, int connections, double cutOff, long seed,
            @Nullable PlantedLeak leak, boolean uncounted) {
        this.uncounted = uncounted;
        this.meters = new MeterSums(resources);
        this.client = client;
        this.resources = resources;
        this.connections = connections;
        this.cutOff = cutOff;
        this.random = new SplittableRandom(seed);
        this.leak = leak;
    }

    boolean run(Duration time) {
        DroppedErrors.count();
        // Lets classes, mappings and pools reach their final size.
        phase(WARM_UP, new Tallies());
        Levels[] before = levels();
        Levels[] sumsBefore = sums();
        long questions = QUESTIONS.get();
        Tallies tallies = new Tallies();
        Disposable progress = Flux.interval(Duration.ofSeconds(10)).subscribe(tick -> report.progress(tallies));
        phase(time, tallies);
        progress.dispose();
        if (leak != null) {
            leak.plant();
        }
        Levels[] after = levels();
        boolean agree = SoakReport.printBounds(MeterBounds.outside(tallies, QUESTIONS.get() - questions, sumsBefore,
                sums()));
        agree &= metersAgree();
        endServer();
        return report.print(tallies, before, after) & agree && !tallies.byKind().isEmpty();
    }

    /** Runs one subscriber that takes a response per second from a source of a million. */
    boolean slowConsumer(Duration time) {
        phase(WARM_UP, new Tallies());
        Levels[] before = levels();
        Long taken = Mono.usingWhen(client.connect(), connection -> RequestTraffic.numbers(connection, MILLION)
                .limitRate(1).concatMap(number -> Mono.delay(Duration.ofSeconds(1)), 1).take(time).count(),
                UcxConnection::close).block(time.plus(ANSWERED_WITHIN));
        Levels[] after = levels();
        endServer();
        System.out.println("one answer a second: " + taken + " taken in " + time.toSeconds()
                + " s, the server's source was asked for " + (after[1].of("numbers asked for") - before[1]
                .of("numbers asked for")) + " of " + MILLION);
        return report.print(new Tallies(), before, after);
    }

    /** After all of that, and with other connections gone, what is counted here has to be what the meters say. */
    private boolean metersAgree() {
        List<String> different = Mono.usingWhen(client.connect(), connection -> window(connection).flatMap(memory ->
                new CountedTraffic(connection, meters, random.split(), uncounted).run(memory)), UcxConnection::close)
                .retryWhen(Retry.max(9).filter(UcxException.class::isInstance)).block(COUNTED_WITHIN);
        return SoakReport.printMeters(Objects.requireNonNull(different));
    }

    private void endServer() {
        UcxConnection last = client.connectNow();
        last.activeMessages().send(SoakServer.END, new byte[0]).block(ANSWERED_WITHIN);
        last.disposeNow();
    }

    private void phase(Duration time, Tallies tallies) {
        long end = System.nanoTime() + time.toNanos();
        List<RandomGenerator> choices = Flux.range(0, connections).<RandomGenerator>map(each -> random.split())
                .collectList().block();
        Flux.fromIterable(Objects.requireNonNull(choices)).flatMap(choice ->
                Mono.defer(() -> life(choice, tallies, end)).repeat(() -> System.nanoTime() < end), Integer.MAX_VALUE)
                .blockLast(time.plus(Traffic.LOST_AFTER).plus(ANSWERED_WITHIN));
    }

    private Mono<Void> life(RandomGenerator choice, Tallies tallies, long end) {
        return client.connect().flatMap(connection -> {
            report.connected();
            Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
            Duration wanted = Duration.ofMillis(500 + choice.nextInt(LONGEST_LIFE_SECONDS * 1000));
            Duration time = wanted.compareTo(left) < 0 ? wanted : left;
            boolean cut = choice.nextDouble() < cutOff;
            if (cut) {
                Mono.delay(time.dividedBy(2)).then(connection.close(CloseMode.FORCE)).subscribe();
            }
            return window(connection).flatMap(memory -> {
                List<Traffic> traffic = List.of(new ActiveMessageTraffic(connection,
                        tallies.of(ActiveMessageTraffic.NAME)), new MessageTraffic(connection,
                        tallies.of(MessageTraffic.NAME)), new RequestTraffic(connection,
                        tallies.of(RequestTraffic.NAME)), new MemoryTraffic(connection.memory(memory),
                        tallies.of(MemoryTraffic.NAME)));
                return new ConnectionLife(connection, tallies, choice).live(traffic, time);
            }).then(connection.close());
        }).onErrorResume(error -> {
            report.notConnected(error);
            return Mono.delay(Duration.ofMillis(100)).then();
        });
    }

    private static Mono<WindowDescriptor> window(UcxConnection connection) {
        return ask(connection, SoakServer.LEND, SoakServer.WINDOW).map(WindowDescriptor::fromBytes);
    }

    static Mono<byte[]> ask(UcxConnection connection, int question, int answer) {
        QUESTIONS.incrementAndGet();
        // Subscribes to the responses before it sends the request.
        return connection.activeMessages().receive(answer).next().map(message -> message.data()
                .toArray(ValueLayout.JAVA_BYTE)).mergeWith(connection.activeMessages().send(question, new byte[0])
                .then(Mono.empty())).next().timeout(ANSWERED_WITHIN);
    }

    /** The meters of this process and of the server, when only the connection that asks is open. */
    private Levels[] sums() {
        return Objects.requireNonNull(Mono.usingWhen(client.connect(), connection -> ask(connection, SoakServer.COUNT,
                SoakServer.COUNTED), UcxConnection::close).retryWhen(ON_ANOTHER)
                .map(line -> new Levels[] {meters.now(), Levels.parse(new String(line, StandardCharsets.UTF_8))})
                .block(ANSWERED_WITHIN.multipliedBy(2)));
    }

    private Mono<Levels[]> both(UcxConnection connection) {
        return Mono.zip(Levels.settled(resources), ask(connection, SoakServer.HOLD, SoakServer.HELD),
                (here, ofServer) -> new Levels[] {here,
                    Levels.parse(new String(ofServer, StandardCharsets.UTF_8))});
    }

    /** The levels of this process and of the server, when only the connection that asks is open. */
    private Levels[] levels() {
        return Objects.requireNonNull(Mono.usingWhen(client.connect(),
                connection -> both(connection).filter(SoakReport::isSettled)
                .repeatWhenEmpty(again -> again.delayElements(Duration.ofMillis(200)))
                .timeout(SETTLED_WITHIN).onErrorResume(late -> both(connection)), UcxConnection::close)
                .retryWhen(ON_ANOTHER)
                .block(SETTLED_WITHIN.plus(ANSWERED_WITHIN)));
    }
}

package io.reactorucx.examples.soak;

import io.reactorucx.RemoteMemory;
import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.message.TrafficStatistics.Api;
import io.reactorucx.transport.metrics.UcxMeters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Traffic of each kind that is neither cancelled nor cut off, so that the soak knows what has gone each way: the meters
 * of both processes have to say the same, to the byte. Of a cancelled operation an application cannot know. Nor can it
 * of the pieces in which bytes of a stream come: their number has bounds.
 */
final class CountedTraffic {

    private static final int EXCHANGES = 150;
    private static final int LANES = 4;
    private static final int MAX_BYTES = 1 << 20;
    private static final int ATTEMPTS = 50;
    private static final int MAX_SALT = 1 << 28;
    private static final Set<String> PIECES = Set.of(MeterSums.name(UcxMeters.SENT_MESSAGES, Api.STREAMS),
            MeterSums.name(UcxMeters.RECEIVED_MESSAGES, Api.STREAMS));
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final UcxConnection connection;
    private final MeterSums here;
    private final RandomGenerator random;
    private final boolean plantOne;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<String, Long> mine = new TreeMap<>();
    private final Map<String, Long> servers = new TreeMap<>();
    private List<String> wrong = List.of();
    private long corrupt;
    /** Length of the server's last answer; it varies with the digits in it. */
    private long answerBytes;

    /**
     * Creates the traffic of a connection.
     *
     * @param plantOne whether one more operation of each kind is done that is not counted, which has to be found
     */
    CountedTraffic(UcxConnection connection, MeterSums here, RandomGenerator random, boolean plantOne) {
        this.connection = connection;
        this.here = here;
        this.random = random;
        this.plantOne = plantOne;
    }

    /** Exchanges, and gives the sums that differ, each with what was counted and what the meters say. */
    Mono<List<String>> run(WindowDescriptor window) {
        Tallies unused = new Tallies();
        RemoteMemory memory = connection.memory(window);
        List<Traffic> kinds = List.of(
                new ActiveMessageTraffic(connection, unused.of(ActiveMessageTraffic.NAME)),
                new MessageTraffic(connection, unused.of(MessageTraffic.NAME)),
                new RequestTraffic(connection, unused.of(RequestTraffic.NAME)),
                new TagTraffic(connection, unused.of(TagTraffic.NAME), random.nextInt(MAX_SALT)),
                new StreamTraffic(connection, unused.of(StreamTraffic.NAME)),
                new MemoryTraffic(memory, unused.of(MemoryTraffic.NAME)),
                new AtomicTraffic(memory, unused.of(AtomicTraffic.NAME)));
        return ofServer().flatMap(serverBefore -> {
            Levels before = here.now();
            both(Api.ACTIVE_MESSAGES, 1, 0, 0, 0);
            return connection.activeMessages().send(SoakServer.ECHO, new byte[0])
                    .thenMany(Flux.fromIterable(kinds).flatMap(this::exchange, kinds.size())).then(planted(memory))
                    .then(Mono.fromRunnable(() -> corrupt = unused.byKind().values().stream()
                            .mapToLong(each -> each.count(Tally.End.CORRUPT)).sum()))
                    .then(Mono.defer(() -> differences(before, serverBefore)));
        });
    }

    private Mono<Void> exchange(Traffic kind) {
        int lanes = kind instanceof MemoryTraffic || kind instanceof StreamTraffic || kind instanceof AtomicTraffic ? 1
                : LANES;
        return Flux.range(0, EXCHANGES).flatMap(i -> {
            int power = random.nextInt(Integer.SIZE - Integer.numberOfLeadingZeros(MAX_BYTES));
            int bytes = Math.min(MAX_BYTES, (1 << power) + random.nextInt(1 << power) - 1);
            long number = numbers.incrementAndGet();
            return kind.exchange(number, bytes).doOnSuccess(done -> count(kind, number, bytes));
        }, lanes).then();
    }

    /** One more operation of each kind that the meters of this process count. */
    private Mono<Void> planted(RemoteMemory memory) {
        if (!plantOne) {
            return Mono.empty();
        }
        return Mono.using(() -> connection.resources().buffers().acquire(1), one -> connection.activeMessages()
                .send(SoakServer.IGNORED, new byte[1])
                .then(connection.outbound().send(connection.resources().buffers().acquireLater(Long.BYTES)))
                .then(connection.tags().send(0, one.segment())).then(connection.streams().send(one.segment()))
                .then(connection.requester().requestResponse(new byte[1])).then(memory.put(0, one.segment()))
                .then(memory.get(0, one.segment())).then(memory.atomics().add(AtomicTraffic.OFFSET, 1)),
                UcxBuffer::release);
    }

    private synchronized void count(Traffic kind, long number, int bytes) {
        switch (kind) {
            case ActiveMessageTraffic active -> both(Api.ACTIVE_MESSAGES, 1, bytes, 1, bytes);
            case MessageTraffic message -> both(Api.MESSAGES, 1, (long) Long.BYTES + bytes, 1,
                    (long) Long.BYTES + bytes);
            case RequestTraffic request -> {
                long length = Math.max(bytes, Integer.BYTES);
                int answers = RequestTraffic.answers(number, bytes);
                both(Api.REQUESTS, 1, length, answers,
                        RequestTraffic.isEcho(number) ? length : (long) answers * Integer.BYTES);
                add(mine, MeterSums.name(UcxMeters.REQUESTS, MeterSums.Ended.SUCCESS), 1);
                add(servers, MeterSums.name(UcxMeters.REQUESTS, MeterSums.Ended.SUCCESS), 1);
            }
            case TagTraffic tagged -> both(Api.TAGS, 1, bytes, 1, bytes);
            case StreamTraffic stream -> both(Api.STREAMS, 1, StreamTraffic.length(bytes), 1,
                    StreamTraffic.length(bytes));
            case AtomicTraffic atomic -> access(Access.ATOMIC, Long.BYTES);
            default -> {
                if (bytes > 0) {
                    access(Access.PUT, bytes);
                    access(Access.GET, bytes);
                }
            }
        }
    }

    /** Counts an access of this side, which the server serves: these resources have no other path. */
    private void access(Access access, long bytes) {
        add(mine, MeterSums.name(UcxMeters.MEMORY_ACCESSES, access), 1);
        add(mine, MeterSums.name(UcxMeters.MEMORY_ACCESSED, access), bytes);
        add(servers, MeterSums.name(UcxMeters.SERVED_REQUESTS, access), 1);
        add(servers, MeterSums.name(UcxMeters.SERVED_BYTES, access), bytes);
    }

    /** Counts messages to the server and back, on both sides. */
    private void both(Api api, long messages, long bytes, long messagesBack, long bytesBack) {
        add(mine, MeterSums.name(UcxMeters.SENT_MESSAGES, api), messages);
        add(mine, MeterSums.name(UcxMeters.SENT_BYTES, api), bytes);
        add(servers, MeterSums.name(UcxMeters.RECEIVED_MESSAGES, api), messages);
        add(servers, MeterSums.name(UcxMeters.RECEIVED_BYTES, api), bytes);
        add(servers, MeterSums.name(UcxMeters.SENT_MESSAGES, api), messagesBack);
        add(servers, MeterSums.name(UcxMeters.SENT_BYTES, api), bytesBack);
        add(mine, MeterSums.name(UcxMeters.RECEIVED_MESSAGES, api), messagesBack);
        add(mine, MeterSums.name(UcxMeters.RECEIVED_BYTES, api), bytesBack);
    }

    private static void add(Map<String, Long> counts, String name, long more) {
        counts.merge(name, more, Long::sum);
    }

    /** Repeats while sums differ: engines count without a fence, and the completion of a send may come late. */
    private Mono<List<String>> differences(Levels before, Levels serverBefore) {
        return Mono.defer(() -> {
            Levels now = here.now();
            return ofServer().flatMap(serverNow -> {
                wrong = Stream.of(different("this process", mine, before, now),
                        different("the server", servers, serverBefore, serverNow),
                        corrupt == 0 ? Stream.<String>of() : Stream.of(corrupt + " exchanges were corrupt"))
                        .flatMap(each -> each).toList();
                // The question is counted by both sides, and so is its answer, by this side from the next one on.
                add(mine, MeterSums.name(UcxMeters.SENT_MESSAGES, Api.ACTIVE_MESSAGES), 1);
                add(mine, MeterSums.name(UcxMeters.RECEIVED_MESSAGES, Api.ACTIVE_MESSAGES), 1);
                add(mine, MeterSums.name(UcxMeters.RECEIVED_BYTES, Api.ACTIVE_MESSAGES), answerBytes);
                return wrong.isEmpty() ? Mono.just(wrong) : Mono.<List<String>>empty();
            });
        }).repeatWhenEmpty(ATTEMPTS, again -> again.delayElements(PAUSE))
                .onErrorResume(IllegalStateException.class, tooOften -> Mono.fromSupplier(() -> wrong));
    }

    private static Stream<String> different(String who, Map<String, Long> counted, Levels before, Levels now) {
        return now.values().keySet().stream().filter(name -> !agree(name, counted, now.of(name) - before.of(name)))
                .map(name -> who + ": " + name + ": " + of(counted, name) + " counted, "
                + (now.of(name) - before.of(name)) + " by the meter");
    }

    /** A piece of a stream has at least one byte, and there is at least one for all of them. */
    private static boolean agree(String name, Map<String, Long> counted, long metered) {
        if (!PIECES.contains(name)) {
            return metered == of(counted, name);
        }
        long bytes = of(counted, MeterSums.name(UcxMeters.RECEIVED_BYTES, Api.STREAMS));
        return metered >= Math.min(1, bytes) && metered <= bytes;
    }

    private static long of(Map<String, Long> counted, String name) {
        return counted.getOrDefault(name, 0L);
    }

    /** The server's sums at the arrival of the question, which they contain, as they do all answers before. */
    private Mono<Levels> ofServer() {
        if (answerBytes > 0) {
            add(servers, MeterSums.name(UcxMeters.RECEIVED_MESSAGES, Api.ACTIVE_MESSAGES), 1);
            add(servers, MeterSums.name(UcxMeters.SENT_MESSAGES, Api.ACTIVE_MESSAGES), 1);
            add(servers, MeterSums.name(UcxMeters.SENT_BYTES, Api.ACTIVE_MESSAGES), answerBytes);
        }
        return Soak.ask(connection, SoakServer.COUNT, SoakServer.COUNTED).map(line -> {
            answerBytes = line.length;
            return Levels.parse(new String(line, StandardCharsets.UTF_8));
        });
    }
}

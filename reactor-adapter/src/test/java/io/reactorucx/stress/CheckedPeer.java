package io.reactorucx.stress;

import io.reactorucx.UcxConnection;
import io.reactorucx.UcxInbound;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * One side of a connection: it receives all checked messages, responds to requests, and knows which of its own messages
 * were signalled as sent.
 */
final class CheckedPeer {

    /** Active messages that are received and checked from the start of a connection. */
    static final int CHECKED = 10;

    final int number;
    final UcxConnection connection;

    private final CallJournal journal;
    private final Round round;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, Long> confirmed = new ConcurrentHashMap<>();
    private final Set<Long> received = ConcurrentHashMap.newKeySet();
    private volatile @Nullable CheckedPeer other;
    private volatile boolean forced;
    private volatile boolean closing;
    private volatile boolean endedWell;
    private volatile boolean ended;
    /** With which error one of the receivers ended. */
    private volatile @Nullable Throwable receiveFailure;
    /** What was received on the stream of messages, and how that ended. */
    private final AtomicLong streamed = new AtomicLong();
    private volatile String streamEnd = "is open";
    private volatile long closedAt;
    private volatile long endedAt;

    CheckedPeer(int number, UcxConnection connection, Round round) {
        this.number = number;
        this.connection = connection;
        this.round = round;
        this.journal = round.journal;
    }

    /** Subscribes before anything of the peer is delivered. */
    void start() {
        UcxInbound in = connection.inbound();
        if (number % 3 == 0) {
            follow("receiveByteArrays", () -> in.receiveByteArrays().doOnTerminate(() -> streamEnd = "has ended"),
                    bytes -> received(MemorySegment.ofArray(bytes)));
        } else {
            Supplier<Flux<UcxBuffer>> call = () -> in.receive().doOnTerminate(() -> streamEnd = "has ended");
            follow("receive of messages", call, lease -> {
                received(lease.segment());
                lease.release();
            });
        }
        this.<ActiveMessage>follow("receive of checked active messages",
                () -> connection.activeMessages().receive(CHECKED), this::received);
        // Never completes.
        connection.respond(new RandomResponder(connection.resources().buffers())).subscribe(ignored -> { },
                error -> journal.failed("0 " + number + " respond", Rule.LEGAL, error));
        journal.follow("0 " + number + " onDispose", Rule.LEGAL, false, connection::onDispose, ignored -> { }, () -> {
            endedAt = System.nanoTime();
            ended = true;
        });
        journal.follow("0 " + number + " onTerminate", Rule.LEGAL, false, connection::onTerminate, ignored -> { },
                () -> endedWell = true);
    }

    private <T> void follow(String name, Supplier<Flux<T>> call, Consumer<T> whenNext) {
        journal.<T>follow("0 " + number + " " + name, Rule.LEGAL, false,
                () -> call.get().doOnError(error -> receiveFailure = error), whenNext, () -> { });
    }

    MemorySegment next(long size) {
        return Payload.of(number, numbers.incrementAndGet(), size);
    }

    long nextNumber() {
        return numbers.incrementAndGet();
    }

    /** A call has ended well that sent a message. */
    void confirm(long message, long call) {
        confirmed.put(message, call);
    }

    /** The connection is closed by force, or its resources are: nothing is promised for what is under way. */
    void force() {
        forced = true;
    }

    /** This side closes. */
    void closes() {
        if (!closing) {
            closedAt = System.nanoTime();
            closing = true;
        }
    }

    boolean hasEnded() {
        return ended;
    }

    @Nullable CheckedPeer other() {
        return other;
    }

    private void received(ActiveMessage message) {
        long sent = arrived(message.header());
        if (message.hasData()) {
            compare(message.data());
        } else if (sent % 5 == 0) {
            message.discard();
        } else {
            journal.<UcxBuffer>follow("0 " + number + " fetch of a checked active message", Rule.LEGAL, false,
                    () -> message.fetch(connection.resources().buffers()).doOnError(error -> message.discard()),
                    lease -> {
                        compare(lease.segment());
                        lease.release();
                    }, () -> { });
        }
    }

    private void received(MemorySegment message) {
        streamed.incrementAndGet();
        arrived(message);
        compare(message);
    }

    private long arrived(MemorySegment start) {
        long sender = Payload.sender(start);
        CheckedPeer from = round.peer((int) sender);
        CheckedPeer known = other;
        if (from == null || known != null && known != from) {
            journal.fault(number + ": got a message of " + sender + ", its peer is "
                    + (known == null ? "unknown" : known.number), null);
            return Payload.number(start);
        }
        other = from;
        from.other = this;
        if (round.dropsMessages()) {
            return Payload.number(start);
        }
        if (!received.add(Payload.number(start))) {
            journal.fault(number + ": message " + Payload.number(start) + " of " + sender + " came twice", null);
        }
        return Payload.number(start);
    }

    private void compare(MemorySegment message) {
        if (!Payload.isIntact(message)) {
            journal.fault(number + ": a message of " + message.byteSize() + " bytes is corrupt", null);
        }
    }

    private boolean isCheckable() {
        // A close that lasts as long as its timeout has become one by force.
        return endedWell && !forced && (!closing || endedAt - closedAt < Round.CLOSE_TIMEOUT.toNanos());
    }

    /** Looks for lost messages, and returns how many it has looked for. */
    int check() {
        CheckedPeer receiver = other;
        if (!ended) {
            journal.fault(number + ": the connection has not ended, " + connection, null);
        }
        // What has been sent reaches a receiver that does not close before.
        if (receiver == null || !isCheckable() || !receiver.isCheckable() || receiver.closing) {
            return 0;
        }
        confirmed.keySet().stream().filter(message -> !receiver.received.contains(message)).findFirst().ifPresent(
                lost -> journal.fault(number + ": message " + lost + " of call " + confirmed.get(lost) + " to "
                        + receiver.number + " is lost; of " + confirmed.size() + " it has received "
                        + receiver.received.size() + ", " + receiver.streamed + " of them in the stream, which "
                        + receiver.streamEnd, receiver.receiveFailure));
        return confirmed.size();
    }
}

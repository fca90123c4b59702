package io.reactorucx.transport.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ActiveMessageHandler;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.core.shm.NativeBytes;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.Timeout;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.frame.ProtocolViolationException;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The links of two engines, and what joins them: rings are real, endpoints are not, but for one that leads to its own
 * worker and gets no messages. Each side may be polled by a thread of its own.
 */
final class RingPair implements AutoCloseable {

    /** Where the numbers of a record stand on a machine of x86-64 or of AArch64. */
    static final int DATA_BYTES_AT = 8;
    static final int ID_AT = 12;
    static final int HEADER_BYTES_AT = 14;

    static final int ID = ReservedMessageIds.MESSAGES;
    static final int MAX_PENDING = 64;

    private final UcpContext context = UcpContext.create(UcpConfig.builder().name("rings").transports("self")
            .features(UcpFeature.AM).build());
    private final UcpWorker worker = context.createWorker(UcpWorkerConfig.of("rings"));
    private final UcpEndpoint endpoint = worker.connect(worker.address(),
            new EndpointOptions(ErrorMode.NONE, "itself", (failed, status) -> { }));
    /** What came over the rings, in order. */
    final List<byte[]> received = new ArrayList<>();
    final Side here = new Side();
    final Side there = new Side();

    RingPair() {
        worker.activeMessages().handler(ID, message -> received.add(message.payload().toArray(ValueLayout.JAVA_BYTE)));
        assertThat(here.link.map(RingFrame.offer(there.own, null))).isTrue();
        assertThat(there.link.map(RingFrame.offer(here.own, null))).isTrue();
    }

    /** Hands a handler a message, as if it had come over a ring. */
    void arrive(int id, byte[] header, byte[] data, ActiveMessageHandler handler) {
        worker.activeMessages().handler(id, handler);
        byte[] both = Arrays.copyOf(header, header.length + data.length);
        System.arraycopy(data, 0, both, header.length, data.length);
        try (Arena arena = Arena.ofConfined()) {
            worker.activeMessages().arrived(id, new NativeBytes(arena.allocateFrom(ValueLayout.JAVA_BYTE, both)), 0,
                    header.length, data.length, endpoint);
        }
    }

    /** One engine. */
    final class Side {

        final RingCounters counters = new RingCounters();
        /** After how many ms the link has asked for each look whether the peer has woken. */
        final List<Long> confirmations = new ArrayList<>();
        private @Nullable Runnable confirmation;
        private final Arena arena = Arena.ofShared();
        final SharedPages own = Objects.requireNonNull(SharedPages.allocate(RingLayout.MIN_BYTES, arena));
        final RingLink link = new RingLink(ProcessIdentity.self(), own, arena, counters, engine());

        /** One with a clock of its own. */
        private CommandExecutor engine() {
            Timeout pending = new Timeout() {
                @Override
                public boolean cancel() {
                    confirmation = null;
                    return true;
                }

                @Override
                public boolean isPending() {
                    return confirmation != null;
                }
            };
            return (CommandExecutor) Proxy.newProxyInstance(CommandExecutor.class.getClassLoader(),
                    new Class<?>[] {CommandExecutor.class}, (proxy, method, arguments) -> {
                        assertThat(method.getName()).isEqualTo("schedule");
                        assertThat(confirmation).as("a look that is to come").isNull();
                        confirmations.add(TimeUnit.NANOSECONDS.toMillis((long) arguments[0]));
                        confirmation = (Runnable) arguments[1];
                        return pending;
                    });
        }

        /** The time has come for the look whether the peer has woken. */
        void confirm() {
            Runnable due = Objects.requireNonNull(confirmation);
            confirmation = null;
            due.run();
        }

        /** A connection with a token, whose small messages go over the ring. */
        Connection connect(long token) {
            return new Connection(this, token);
        }
    }

    /** One side of a connection. */
    final class Connection {

        final long token;
        final RingCarrier carrier;
        final List<byte[]> overEndpoint = new ArrayList<>();
        volatile Runnable whenWoken = () -> { };
        volatile boolean wakesAtOnce = true;
        volatile boolean usable = true;
        volatile int wakes;
        @Nullable Completion wake;
        @Nullable ProtocolViolationException violation;
        /** What a connection does that ends. */
        Runnable whenViolated = () -> { };

        Connection(Side side, long token) {
            this.token = token;
            this.carrier = new RingCarrier((Carrier) Proxy.newProxyInstance(Carrier.class.getClassLoader(),
                    new Class<?>[] {Carrier.class}, (proxy, method, arguments) -> switch (method.getName()) {
                        case "endpoint" -> endpoint;
                        case "isUsable" -> usable;
                        case "sendUrgent" -> woken((Completion) arguments[2]);
                        case "checkSend" -> endpoint.checkSend((int) arguments[0], (MemorySegment) arguments[1],
                                (MemorySegment) arguments[2], null);
                        case "arrived" -> arrived(arguments);
                        case "send" -> overEndpoint.add(new byte[0]);
                        case "flush" -> true;
                        case "inFlight" -> 0L;
                        default -> method.getReturnType() == boolean.class ? false : null;
                    }), MAX_PENDING, side.counters);
            carrier.begin();
            carrier.join(side.link, token, new byte[9], thrown -> {
                violation = thrown;
                whenViolated.run();
            });
            carrier.agreed();
        }

        private boolean arrived(Object[] arguments) {
            worker.activeMessages().arrived((int) arguments[0], (DataPlacement.Source) arguments[1],
                    (long) arguments[2], (int) arguments[3], (int) arguments[4], endpoint);
            return true;
        }

        private boolean woken(Completion whenDone) {
            wakes++;
            wake = whenDone;
            whenWoken.run();
            return wakesAtOnce;
        }

        /** Sends a message to the connection with the same token. */
        boolean send(int bytes, Completion whenDone) {
            byte[] data = new byte[Math.max(bytes, Long.BYTES)];
            ByteBuffer.wrap(data).putLong(token);
            MemorySegment payload = Arena.ofAuto().allocate(data.length).copyFrom(MemorySegment.ofArray(data));
            return carrier.send(ID, MemorySegment.NULL, payload, null, AmProtocol.EAGER, whenDone);
        }

        /** Sends until the ring is full, and returns how many messages that took. */
        int fill(int bytes) {
            int sent = 0;
            while (send(bytes, (status, length, tag) -> { })) {
                sent++;
            }
            return sent;
        }
    }

    @Override
    public void close() {
        here.link.close();
        there.link.close();
        endpoint.close(CloseMode.FLUSH, (status, length, tag) -> { });
        for (int i = 0; i < 1000 && worker.progress() > 0; i++) {
            Thread.onSpinWait();
        }
        worker.close();
        context.close();
    }
}

package io.reactorucx.benchmarks.peers;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.logbuffer.FragmentHandler;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Aeron. Both sides poll on the thread of the test. A message whose first byte is not 0 ends a stream, and the server
 * replies to it.
 */
abstract class AeronPeer implements Peer {

    private static final int TO_SERVER = 1001;
    private static final int TO_CLIENT = 1002;
    private static final int FRAGMENTS = 256;
    private static final byte LAST = 1;
    /** How long a process may be stopped while others are measured. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);
    /** Messages between two readings of the clock, which takes as long as a message. */
    private static final int BETWEEN_CLOCKS = 64;

    /** The publication and the subscription of one side. */
    record Channels(String toServer, String toClient) {
    }

    /** {@return the media driver of this side, or null when the other side has it} */
    abstract @Nullable MediaDriver driver(PeerOptions options, boolean server, int port);

    abstract String directory(boolean server, int port);

    /** {@return the context of a driver whose clients and peers may be stopped for some time} */
    static MediaDriver.Context patientDriver() {
        return new MediaDriver.Context().clientLivenessTimeoutNs(PATIENCE_NANOS).imageLivenessTimeoutNs(PATIENCE_NANOS)
                .publicationConnectionTimeoutNs(PATIENCE_NANOS).publicationUnblockTimeoutNs(2 * PATIENCE_NANOS)
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
    }

    /** {@return the context of a client for a driver} */
    Aeron.Context context(@Nullable MediaDriver driver, String directory) {
        return new Aeron.Context().aeronDirectoryName(directory)
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
    }

    abstract Channels channels(int port);

    /** {@return the work of each iteration besides polling} */
    abstract Runnable turn(Aeron aeron, @Nullable MediaDriver driver);

    @Override
    public void serve(PeerOptions options, Lifeline lifeline) throws Exception {
        int port = options.port();
        if (port == 0) {
            throw new IllegalArgumentException("--port 0: this peer needs a number that its client knows");
        }
        try (MediaDriver driver = driver(options, true, port);
                Aeron aeron = Aeron.connect(context(driver, directory(true, port)));
                Line line = new Line(aeron.addSubscription(channels(port).toServer(), TO_SERVER),
                        aeron.addExclusivePublication(channels(port).toClient(), TO_CLIENT), turn(aeron, driver),
                        options.size())) {
            lifeline.ready(port);
            if (options.is("rate")) {
                line.countUntil(lifeline);
            } else {
                line.echoUntil(lifeline);
            }
        }
    }

    @Override
    public Figures measure(PeerOptions options) throws Exception {
        if (!options.test().equals("message")) {
            return Peer.refuse(options);
        }
        int port = options.address().getPort();
        try (MediaDriver driver = driver(options, false, port);
                Aeron aeron = Aeron.connect(context(driver, directory(false, port)));
                Line line = new Line(aeron.addSubscription(channels(port).toClient(), TO_CLIENT),
                        aeron.addExclusivePublication(channels(port).toServer(), TO_SERVER), turn(aeron, driver),
                        options.size())) {
            line.awaitConnected();
            return switch (options.mode()) {
                case "latency" -> line.roundTrips(options);
                case "rate" -> MessageStream.measure(options, line::burst);
                default -> Peer.refuse(options);
            };
        }
    }

    private static final class Line implements AutoCloseable {

        private final Subscription in;
        private final ExclusivePublication out;
        private final Runnable turn;
        private final UnsafeBuffer message;
        private boolean ended;
        private final FragmentHandler handler = (buffer, offset, length, header) -> {
            if (buffer.getByte(offset) == LAST) {
                ended = true;
            }
        };

        Line(Subscription in, ExclusivePublication out, Runnable turn, int size) {
            this.in = in;
            this.out = out;
            this.turn = turn;
            this.message = new UnsafeBuffer(new byte[size]);
        }

        void awaitConnected() {
            while (!out.isConnected() || !in.isConnected()) {
                turn.run();
                Thread.yield();
            }
        }

        private void send(@Nullable Lifeline lifeline) {
            while (out.offer(message, 0, message.capacity()) < 0) {
                turn.run();
                if (lifeline != null && lifeline.hasEnded()) {
                    return;
                }
            }
        }

        private boolean receive(@Nullable Lifeline lifeline) {
            while (in.poll(handler, 1) == 0) {
                turn.run();
                Thread.onSpinWait();
                if (lifeline != null && lifeline.hasEnded()) {
                    return false;
                }
            }
            return true;
        }

        void echoUntil(Lifeline lifeline) {
            while (receive(lifeline)) {
                send(lifeline);
            }
        }

        Figures roundTrips(PeerOptions options) {
            RoundTrips trips = new RoundTrips(options, true);
            trips.start();
            do {
                send(null);
                receive(null);
            } while (trips.replied());
            return trips.figures();
        }

        void countUntil(Lifeline lifeline) {
            while (!lifeline.hasEnded()) {
                if (in.poll(handler, FRAGMENTS) == 0) {
                    turn.run();
                    Thread.onSpinWait();
                }
                if (ended) {
                    ended = false;
                    send(lifeline);
                }
            }
        }

        long burst(MessageStream.End end) {
            long sent = 1;
            for (; sent % BETWEEN_CLOCKS != 0 || !end.isReached(BETWEEN_CLOCKS); sent++) {
                send(null);
            }
            message.putByte(0, LAST);
            send(null);
            message.putByte(0, (byte) 0);
            receive(null);
            return sent;
        }

        @Override
        public void close() {
            out.close();
            in.close();
        }
    }
}

package io.reactorucx.benchmarks.startup;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Sends a request of 8 bytes when it has the reply to the last one, in the default settings, for some seconds. */
final class StartupClient {

    /** How the line with the {@link ReplyCounts} begins. */
    static final String REPLIES = "REPLIES ";
    /** How the line with the transports begins. */
    static final String TRANSPORTS = "TRANSPORTS ";
    static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Duration SPARE = Duration.ofSeconds(60);

    private StartupClient() {
    }

    /** @param args the port, and the number of intervals */
    public static void main(String[] args) {
        ReplyCounts counts = new ReplyCounts(INTERVAL_NANOS, Integer.parseInt(args[1]));
        UcxResources resources = UcxResources.create();
        try {
            UcxConnection connection = UcxClient.create(resources)
                    .remoteAddress("127.0.0.1", Integer.parseInt(args[0])).connectNow();
            connection.requester().requestResponse(new byte[Long.BYTES])
                    .doOnNext(reply -> counts.add(System.nanoTime()))
                    .repeat(() -> !counts.isFull())
                    .then().block(SPARE.plusNanos(Integer.parseInt(args[1]) * INTERVAL_NANOS));
            System.out.println(TRANSPORTS + String.join(" ", connection.transports()));
            System.out.println(REPLIES + counts.toLine());
        } finally {
            resources.disposeNow();
        }
    }
}

package io.reactorucx.examples.dashboard;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.reactorucx.netty.UcxNettyMeters;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.concurrent.TimeUnit;

/** A figure of the page: the sum of the meters of a name that have some tags. */
enum Figure {
    REQUESTS(UcxMeters.REQUESTS, client()),
    ANSWERED(UcxMeters.REQUESTS, client().and("outcome", "success")),
    IN_FLIGHT(UcxMeters.REQUESTS_IN_FLIGHT, client()),
    WAITING(UcxMeters.WAITING_REQUESTS, Tags.empty()),
    MEDIAN(UcxMeters.REQUEST_PERCENTILES, client().and("phi", "0.5")),
    PERCENTILE_99(UcxMeters.REQUEST_PERCENTILES, client().and("phi", "0.99")),
    LONGEST(UcxMeters.REQUEST_PERCENTILES, client().and("phi", "1")),
    MESSAGES(UcxMeters.SENT_MESSAGES, Tags.of("api", "messages")),
    SENT_BYTES(UcxMeters.SENT_BYTES, Tags.empty()),
    RECEIVED_BYTES(UcxMeters.RECEIVED_BYTES, Tags.empty()),
    /** The calls that succeed: clients count the ones that fail, too, also while the peer is gone. */
    HTTP_CALLS("http.client.requests", Tags.of("outcome", "SUCCESS")),
    HTTP_SENT(UcxNettyMeters.SENT_BYTES, Tags.empty()),
    HTTP_RECEIVED(UcxNettyMeters.RECEIVED_BYTES, Tags.empty()),
    OPERATIONS(UcxMeters.IN_FLIGHT, Tags.empty()),
    STEPS(UcxMeters.STEPS, Tags.empty()),
    EMPTY_STEPS(UcxMeters.EMPTY_STEPS, Tags.empty()),
    CONNECTIONS(UcxMeters.CONNECTIONS, Tags.of("state", "connected")),
    LOST(UcxMeters.LOST_CONNECTIONS, Tags.empty()),
    CHANNELS(UcxNettyMeters.CHANNELS, Tags.empty()),
    LINKS(UcxNettyMeters.LINKS, Tags.empty()),
    CREDITS(UcxMeters.MESSAGE_CREDIT, Tags.empty()),
    CREDIT_WAITERS(UcxMeters.CREDIT_WAITERS, Tags.empty()),
    LEASED(UcxMeters.LEASED_BYTES, Tags.empty()),
    SLABS(UcxMeters.SLAB_BYTES, Tags.empty()),
    SLAB_LIMIT(UcxMeters.SLAB_LIMIT, Tags.empty()),
    MAPPED(UcxMeters.MAPPED_BYTES, Tags.empty());

    private final String meter;
    private final Tags tags;

    Figure(MeterDocumentation meter, Tags tags) {
        this(meter.getName(), tags);
    }

    Figure(String meter, Tags tags) {
        this.meter = meter;
        this.tags = tags;
    }

    private static Tags client() {
        return Tags.of("side", "client");
    }

    String meter() {
        return meter;
    }

    Iterable<Tag> tags() {
        return tags;
    }

    /** The figure now; meters whose source has gone do not count. */
    double in(MeterRegistry registry) {
        return registry.find(meter).tags(tags).meters().stream().mapToDouble(Figure::value)
                .filter(Double::isFinite).sum();
    }

    private static double value(Meter meter) {
        return meter.<Double>match(Gauge::value, Counter::count, timer -> (double) timer.count(),
                summary -> (double) summary.count(), tasks -> (double) tasks.activeTasks(),
                time -> time.value(TimeUnit.SECONDS), FunctionCounter::count, FunctionTimer::count,
                other -> Double.NaN);
    }
}

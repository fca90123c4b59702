package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Ucx;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.netty.UcxIoHandler;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxNettyMeters;
import io.reactorucx.netty.UcxNettyMetrics;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.metrics.UcxMeters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** What Prometheus gets has the names, types and units that {@code docs/spec/metrics.md} says. */
@ExtendWith(NoLeaks.class)
class PrometheusScrapeTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final int REQUESTS = 7;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    /** Echoes. */
    private static final class Echo implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return Mono.just(request);
        }
    }

    @Test
    void everyMeterOfResourcesIsASeriesWithItsUnit() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        UcxResources resources = UcxResources.create();
        try {
            new UcxMetrics(resources).timingRequests(1).showingPeers(2).bindTo(registry);
            UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0).respond(new Echo())
                    .bindNow();
            UcxConnection connection = UcxClient.create(resources).remoteAddress("127.0.0.1", server.port())
                    .connectNow();
            connection.requester().requestResponse(new byte[8]).repeat(REQUESTS - 1).blockLast(LIMIT);

            String scraped = registry.scrape();
            assertShown(scraped, List.of(UcxMeters.values()));
            String engine = resources.engines().getFirst().name();
            assertThat(scraped).contains("reactor_ucx_requests_ended_requests_total{engine=\"" + engine
                    + "\",outcome=\"success\",side=\"client\"} " + (double) REQUESTS + "\n");
            assertThat(scraped).contains("reactor_ucx_sent_bytes_total{api=\"requests\",engine=\"" + engine + "\"} "
                    + 2.0 * REQUESTS * Long.BYTES + "\n");
            assertThat(scraped).contains("reactor_ucx_requests_time_seconds_count{engine=\"" + engine
                    + "\",outcome=\"success\",side=\"server\"} " + REQUESTS + "\n");
        } finally {
            resources.disposeNow();
        }
        assertThat(registry.scrape()).as("after the end").doesNotContain("reactor_ucx");
    }

    @Test
    void everyMeterOfLoopsIsASeriesWithItsUnit() {
        assumeTrue(UcxIoHandler.isAvailable(), "UCX or epoll is not available");
        UcxLoopResources loops = UcxLoopResources.create("scraped", 1, UcxNettyConfig.DEFAULT);
        new UcxNettyMetrics(loops.factory()).bindTo(registry);

        assertShown(registry.scrape(), List.of(UcxNettyMeters.values()));
        loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
    }

    private static void assertShown(String scraped, List<? extends MeterDocumentation> meters) {
        List<String> missing = new ArrayList<>();
        for (MeterDocumentation meter : meters) {
            String name = MetersPage.inPrometheus(meter);
            String type = switch (meter.getType()) {
                case TIMER -> "summary";
                case COUNTER -> "counter";
                default -> "gauge";
            };
            String plain = name.endsWith("_total") ? name.substring(0, name.length() - "_total".length()) : name;
            if (!plain.endsWith("_" + meter.getBaseUnit())) {
                missing.add(name + " does not end with its unit " + meter.getBaseUnit());
            }
            if (!scraped.contains("# TYPE " + name + " " + type + "\n")) {
                missing.add(name + " is no " + type);
            }
            String values = meter.getType() == Meter.Type.TIMER ? "_(count|sum)" : "";
            if (!Pattern.compile("^" + name + values + "(\\{| )", Pattern.MULTILINE).matcher(scraped).find()) {
                missing.add(name + " has no value");
            }
        }
        assertThat(missing).as("in %s", scraped).isEmpty();
    }
}

package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.metrics.UcxMeters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The meters of loops say what their channels and links did. */
@Tag("slow")
class UcxNettyMetricsTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final int CHANNELS = 3;
    private static final int LOOPS = 2;
    private static final long PART = 8192;
    private static final int WINDOW = 4096;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double value(UcxNettyMeters meter, String... tags) {
        return value(meter.getName(), tags);
    }

    /** The sum over all loops. */
    private double value(String meter, String... tags) {
        Collection<Meter> found = Search.in(registry).name(meter).tags(tags).meters();
        assertThat(found).as(meter).isNotEmpty();
        return found.stream().mapToDouble(each -> each.measure().iterator().next().getValue()).sum();
    }

    private void awaitValue(double expected, UcxNettyMeters meter) {
        await().atMost(LIMIT).untilAsserted(() -> assertThat(value(meter)).as(meter.getName()).isEqualTo(expected));
    }

    private TestLoops bound(String name, UcxNettyConfig config) {
        TestLoops loops = new TestLoops(name, LOOPS, config);
        new UcxNettyMetrics(loops.factory()).bindTo(registry);
        return loops;
    }

    @Test
    void valuesAreThoseOfTheTraffic() {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withRingBytes(1 << 18);
        try (TestLoops strangers = new TestLoops("client", LOOPS, config);
                TestLoops loops = bound("server", config.withLimits(7, 5))) {
            assertThat(value(UcxNettyMeters.CHANNELS_LIMIT)).isEqualTo(LOOPS * 5);
            assertThat(value(UcxNettyMeters.LINKS_LIMIT)).isEqualTo(LOOPS * 7);
            Channel server = EchoChannel.serve(loops);
            List<EchoChannel> all = new ArrayList<>();
            for (int i = 0; i < CHANNELS; i++) {
                EchoChannel channel = EchoChannel.connect(strangers, server.localAddress());
                channel.echo();
                all.add(channel);
            }
            assertThat(value(UcxNettyMeters.CHANNELS)).isEqualTo(CHANNELS);
            assertThat(value(UcxNettyMeters.OPENED_CHANNELS)).isEqualTo(CHANNELS);
            assertThat(value(UcxNettyMeters.PENDING_HANDSHAKES)).isZero();
            assertThat(value(UcxNettyMeters.RECEIVED_BYTES)).isEqualTo(CHANNELS * PART);
            assertThat(value(UcxNettyMeters.SENT_BYTES)).isEqualTo(CHANNELS * PART);
            double links = value(UcxNettyMeters.LINKS);
            assertThat(links).isBetween(1.0, (double) CHANNELS);
            assertThat(value(UcxNettyMeters.ACCEPTED_LINKS)).isEqualTo(links);
            assertThat(value(UcxNettyMeters.CONNECTED_LINKS)).isZero();
            assertThat(value(UcxNettyMeters.RINGS)).as("each link is between two other loops").isEqualTo(links);
            assertThat(value(UcxNettyMeters.RING_RECEIVED_RECORDS)).isGreaterThanOrEqualTo(CHANNELS);
            assertThat(loops.factory().statistics().stream().mapToLong(loop -> loop.rings().pairs()).sum())
                    .isEqualTo((long) links);
            assertThat(value(UcxNettyMeters.BUFFER_LIMIT)).isEqualTo(LOOPS * 64.0 * (1 << 20));
            assertThat(value(UcxNettyMeters.SPINS)).isPositive();

            all.get(0).channel().close().syncUninterruptibly();
            awaitValue(1, UcxNettyMeters.CLOSED_CHANNELS);
            all.get(1).channel().config().setOption(ChannelOption.SO_LINGER, 0);
            all.get(1).channel().close().syncUninterruptibly();
            awaitValue(1, UcxNettyMeters.RESET_CHANNELS);
            assertThat(value(UcxNettyMeters.CHANNELS)).isEqualTo(1);
            all.get(2).channel().close().syncUninterruptibly();
            awaitValue(2, UcxNettyMeters.CLOSED_CHANNELS);
            for (UcxNettyMeters none : List.of(UcxNettyMeters.CHANNELS, UcxNettyMeters.WAITING_CHANNELS,
                    UcxNettyMeters.FAILED_HANDSHAKES, UcxNettyMeters.FAILED_LINKS, UcxNettyMeters.REFUSED_LINKS,
                    UcxNettyMeters.REFUSED_CHANNELS, UcxNettyMeters.DECLINED_RINGS, UcxNettyMeters.VIOLATIONS,
                    UcxNettyMeters.LEASED_BYTES)) {
                assertThat(value(none)).as(none.getName()).isZero();
            }
        }
    }

    @Test
    void channelsThatWaitForCreditAreCounted() {
        try (TestLoops server = new TestLoops("server", 1, UcxNettyConfig.DEFAULT.withWindowBytes(WINDOW));
                TestLoops client = bound("client", UcxNettyConfig.DEFAULT)) {
            Channel silent = server.server().childOption(ChannelOption.AUTO_READ, false)
                    .childHandler(new ChannelInboundHandlerAdapter()).bind("127.0.0.1", 0)
                    .syncUninterruptibly().channel();
            EchoChannel waiting = EchoChannel.connect(client, silent.localAddress());
            waiting.stream();

            awaitValue(1, UcxNettyMeters.WAITING_CHANNELS);
            assertThat(value(UcxNettyMeters.SENT_BYTES)).isEqualTo(WINDOW);
            waiting.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            waiting.channel().close().syncUninterruptibly();
            awaitValue(0, UcxNettyMeters.WAITING_CHANNELS);
            awaitValue(0, UcxNettyMeters.CHANNELS);
        }
    }

    @Test
    void enginesHaveTheMetersOfTheAdapterAndGoWithTheirLoop() {
        try (TestLoops loops = new TestLoops("loop", 1, UcxNettyConfig.DEFAULT.withTransports("shm"))) {
            new UcxNettyMetrics(loops.factory()).bindTo(registry);
            int ofLoop = UcxNettyMeters.values().length;
            assertThat(registry.getMeters()).hasSize(ofLoop);
            Channel server = EchoChannel.serve(loops);
            EchoChannel channel = EchoChannel.connect(loops, server.localAddress());
            channel.echo();
            // In this order: the loop goes on meanwhile.
            double empty = value(UcxMeters.EMPTY_STEPS.getName());
            assertThat(value(UcxMeters.STEPS.getName())).isGreaterThan(empty);
            assertThat(value(UcxMeters.IN_FLIGHT_LIMIT.getName())).isPositive();
            int meters = registry.getMeters().size();
            assertThat(meters).isGreaterThan(ofLoop);

            new UcxNettyMetrics(loops.factory()).bindTo(registry);
            for (int i = 0; i < 20; i++) {
                EchoChannel next = EchoChannel.connect(loops, server.localAddress());
                next.echo();
                next.channel().close().syncUninterruptibly();
            }
            assertThat(registry.getMeters()).hasSize(meters);
            Set<String> engines = registry.getMeters().stream().map(each -> each.getId().getTag("engine"))
                    .filter(Objects::nonNull).collect(Collectors.toSet());
            assertThat(engines).hasSize(1);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void everyMeterHasABaseUnitADescriptionAndNoTagButTheLoop() {
        try (TestLoops loops = bound("loops", UcxNettyConfig.DEFAULT)) {
            Set<String> names = Stream.of(UcxNettyMeters.values()).map(UcxNettyMeters::getName)
                    .collect(Collectors.toSet());
            Set<String> loopNames = loops.factory().statistics().stream().map(UcxLoopStatistics::loop)
                    .collect(Collectors.toSet());
            assertThat(loopNames).hasSize(LOOPS);
            assertThat(registry.getMeters()).hasSize(LOOPS * names.size()).allSatisfy(meter -> {
                assertThat(meter.getId().getBaseUnit()).isNotBlank();
                assertThat(meter.getId().getDescription()).isNotBlank().doesNotContain("`");
                assertThat(names).contains(meter.getId().getName());
                assertThat(meter.getId().getTags()).singleElement().satisfies(tag -> {
                    assertThat(tag.getKey()).isEqualTo("loop");
                    assertThat(loopNames).contains(tag.getValue());
                });
            });
        }
    }

    @Test
    void loopsOfReactorNettyHaveThem() {
        UcxLoopResources resources = UcxLoopResources.create("metered", 1, UcxNettyConfig.DEFAULT);
        new UcxNettyMetrics(resources.factory(), Tags.of("role", "client")).bindTo(registry);
        assertThat(value(UcxNettyMeters.CHANNELS, "role", "client")).isZero();
        resources.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void disposedBindingRemovesTheMetersOfLoopsAndEnginesAndNoOthers() {
        try (TestLoops loops = new TestLoops("unbound", 1, UcxNettyConfig.DEFAULT.withTransports("shm"))) {
            registry.counter("of.the.application").increment();
            Runnable first = new UcxNettyMetrics(loops.factory()).bind(registry);
            Runnable again = new UcxNettyMetrics(loops.factory()).bind(registry);
            Runnable tagged = new UcxNettyMetrics(loops.factory(), Tags.of("role", "server")).bind(registry);
            Channel server = EchoChannel.serve(loops);
            EchoChannel.connect(loops, server.localAddress()).echo();
            int all = registry.getMeters().size();
            assertThat(value(UcxMeters.STEPS.getName(), "role", "server")).isPositive();

            first.run();
            assertThat(registry.getMeters()).as("another has its place").hasSize(all);
            again.run();
            again.run();
            // The application's own counter is the odd one.
            assertThat(registry.getMeters()).hasSize((all - 1) / 2 + 1).allMatch(each ->
                    "server".equals(each.getId().getTag("role")) || each.getId().getTags().isEmpty());
            tagged.run();
            assertThat(registry.getMeters()).hasSize(1);
            Runnable last = new UcxNettyMetrics(loops.factory()).bind(registry);
            assertThat(value(UcxNettyMeters.CHANNELS)).isPositive();
            last.run();
            assertThat(registry.getMeters()).hasSize(1);
        }
        assertThat(registry.getMeters()).hasSize(1);
    }

    @Test
    void registryThatThrowsKeepsNoMeterOfTheBinding() {
        try (TestLoops loops = new TestLoops("refused", LOOPS, UcxNettyConfig.DEFAULT)) {
            boolean[] refuses = {true};
            registry.config().meterFilter(new MeterFilter() {
                @Override
                public Meter.Id map(Meter.Id id) {
                    if (refuses[0] && id.getName().equals(UcxNettyMeters.LEASED_BYTES.getName())) {
                        throw new IllegalArgumentException("refused as planned");
                    }
                    return id;
                }
            });
            UcxNettyMetrics metrics = new UcxNettyMetrics(loops.factory());

            assertThatThrownBy(() -> metrics.bindTo(registry)).hasMessage("refused as planned");
            assertThat(registry.getMeters()).isEmpty();
            refuses[0] = false;
            metrics.bindTo(registry);
            assertThat(registry.getMeters()).hasSize(LOOPS * UcxNettyMeters.values().length);
        }
    }

    @Test
    void missingArgumentsAreNamed() {
        UcxIoHandlerFactory factory = UcxIoHandler.newFactory();
        assertThatThrownBy(() -> new UcxNettyMetrics(null)).hasMessageContaining("factory");
        assertThatThrownBy(() -> new UcxNettyMetrics(factory, null)).hasMessageContaining("tags");
        assertThatThrownBy(() -> new UcxNettyMetrics(factory).bindTo(null)).hasMessageContaining("registry");
    }
}

package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.metrics.UcxMeters;
import java.io.IOException;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;

/** Meters of resources come and go as a whole. */
@ExtendWith(NoLeaks.class)
class MetersBindingTest implements NeedsUcx {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private UcxResources resources;
    private UcxResources others;

    @BeforeEach
    void open() {
        resources = UcxResources.builder().transports("self").build();
        others = UcxResources.builder().transports("self").build();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            others.disposeNow();
            resources.disposeNow();
        }
    }

    private Set<Meter.Id> meters() {
        return registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
    }

    @Test
    void aBindingThatIsDisposedOfLeavesNothing() {
        Disposable binding = new UcxMetrics(resources).showingPeers(2).bind(registry);
        assertThat(meters()).isNotEmpty();

        binding.dispose();
        binding.dispose();

        assertThat(meters()).isEmpty();
        assertThat(binding.isDisposed()).isTrue();
        new UcxMetrics(others).bindTo(registry);
        assertThat(meters()).isNotEmpty();
    }

    @Test
    void theLastBindingOfTheSameResourcesCounts() {
        new UcxMetrics(resources).timingRequests(0).bindTo(registry);
        assertThat(registry.find(UcxMeters.REQUEST_TIME.getName()).meters()).isEmpty();
        Set<Meter.Id> without = meters();

        Disposable timed = new UcxMetrics(resources).timingRequests(1).bind(registry);
        assertThat(registry.find(UcxMeters.REQUEST_TIME.getName()).meters()).isNotEmpty();

        new UcxMetrics(resources).timingRequests(0).bindTo(registry);
        assertThat(timed.isDisposed()).isTrue();
        assertThat(meters()).isEqualTo(without);
        timed.dispose();
        assertThat(meters()).isEqualTo(without);
    }

    @Test
    void otherResourcesNeedOtherTags() {
        new UcxMetrics(resources).bindTo(registry);
        Set<Meter.Id> first = meters();

        assertThatIllegalStateException().isThrownBy(() -> new UcxMetrics(others).bindTo(registry))
                .withMessageContaining("tags []").withMessageContaining("takes other tags");
        assertThat(meters()).isEqualTo(first);
        Disposable second = new UcxMetrics(others, Tags.of("resources", "others")).bind(registry);
        assertThat(meters().size()).isGreaterThan(first.size());
        second.dispose();
        assertThat(meters()).isEqualTo(first);
    }

    @Test
    void metersOfClosedResourcesMakeRoomForOthers() {
        new UcxMetrics(resources).bindTo(registry);
        resources.disposeNow();
        assertThat(meters()).isEmpty();

        new UcxMetrics(others).bindTo(registry);
        assertThat(meters()).isNotEmpty();
    }

    @Test
    void aRegistryThatThrowsKeepsNoMeters() {
        for (String refused : new String[] {UcxMeters.SLAB_LIMIT.getName(), UcxMeters.STEPS.getName(),
            UcxMeters.REQUEST_TIME.getName(), UcxMeters.STALLS.getName()}) {
            SimpleMeterRegistry throwing = new SimpleMeterRegistry();
            throwing.config().meterFilter(new MeterFilter() {
                @Override
                public MeterFilterReply accept(Meter.Id id) {
                    if (id.getName().equals(refused)) {
                        throw new IllegalArgumentException("no " + refused);
                    }
                    return MeterFilterReply.NEUTRAL;
                }
            });

            assertThatThrownBy(() -> new UcxMetrics(resources).bindTo(throwing)).hasMessage("no " + refused);
            assertThat(throwing.getMeters()).as(refused).isEmpty();
        }
    }

    @Test
    void aRegistryThatThrowsAnUndeclaredExceptionKeepsNoMeters() {
        SimpleMeterRegistry throwing = new SimpleMeterRegistry();
        throwing.config().meterFilter(new MeterFilter() {
            @Override
            public MeterFilterReply accept(Meter.Id id) {
                if (id.getName().equals(UcxMeters.SLAB_LIMIT.getName())) {
                    throw MetersBindingTest.<RuntimeException>undeclared(new IOException("no limit"));
                }
                return MeterFilterReply.NEUTRAL;
            }
        });

        assertThatThrownBy(() -> new UcxMetrics(resources).bindTo(throwing)).hasMessage("no limit");
        assertThat(throwing.getMeters()).isEmpty();
    }

    @Test
    void aListenerThatThrowsAtARemovalKeepsNoMeters() {
        registry.config().onMeterRemoved(meter -> {
            throw new NoClassDefFoundError("of a listener");
        });
        Disposable binding = new UcxMetrics(resources).showingPeers(2).bind(registry);
        assertThat(meters()).isNotEmpty();

        binding.dispose();

        assertThat(meters()).isEmpty();
    }

    /** Other languages of the JVM throw such exceptions without a declaration. */
    @SuppressWarnings("unchecked")
    private static <X extends Throwable> RuntimeException undeclared(Exception exception) throws X {
        throw (X) exception;
    }
}

package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.metrics.UcxMeters;
import io.reactorucx.metrics.UcxMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/guide/metrics.md}, and its table of meters. */
class MetricsPageTest extends Page {

    private static final Pattern ROW = Pattern.compile("\\| `(reactor\\.ucx[a-z.]*)` \\| (\\w+) \\| ([^|]*) \\|");

    @Test
    void metersAreBound() {
        // snippet: bind
        MeterRegistry registry = new SimpleMeterRegistry();
        new UcxMetrics(resources).bindTo(registry);
        // end

        assertThat(registry.getMeters()).extracting(meter -> meter.getId().getName())
                .contains("reactor.ucx.connections");
    }

    @Test
    void tableHasEveryMeterWithItsTypeAndTags() throws IOException {
        List<String> shown = ROW.matcher(Files.readString(Path.of("../docs/guide/metrics.md"))).results()
                .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(3).strip()).toList();

        assertThat(shown).containsExactlyInAnyOrderElementsOf(
                Arrays.stream(UcxMeters.values()).map(MetricsPageTest::row).toList());
    }

    private static String row(UcxMeters meter) {
        String tags = Arrays.stream(meter.getKeyNames()).map(key -> "`" + key.asString() + "`")
                .collect(Collectors.joining(", "));
        return meter.getName() + " " + type(meter.getType()) + " " + tags;
    }

    private static String type(Meter.Type type) {
        return type.name().toLowerCase(Locale.ROOT);
    }
}

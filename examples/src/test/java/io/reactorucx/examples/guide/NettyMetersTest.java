package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.netty.UcxIoHandler;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxNettyMeters;
import io.reactorucx.netty.UcxNettyMetrics;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The meters of {@code docs/netty.md}: its code, and its table. */
class NettyMetersTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Pattern ROW =
            Pattern.compile("\\| (`reactor\\.ucx\\.netty\\.[a-z.]*` \\| \\w+ \\| \\w+ \\| [^|]*) \\|");

    @Test
    void metersAreBound() {
        assumeTrue(UcxIoHandler.isAvailable(), "UCX or epoll is not available");
        UcxLoopResources loops = UcxLoopResources.create("ucx", 2, UcxNettyConfig.DEFAULT);
        // snippet: meters
        MeterRegistry registry = new SimpleMeterRegistry();
        new UcxNettyMetrics(loops.factory()).bindTo(registry);
        // end

        assertThat(registry.getMeters()).extracting(meter -> meter.getId().getName())
                .containsOnly(Arrays.stream(UcxNettyMeters.values()).map(UcxNettyMeters::getName)
                .toArray(String[]::new));
        loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
    }

    @Test
    void tableHasEveryMeterAsItIsRegistered() throws IOException {
        List<String> shown = ROW.matcher(Files.readString(Path.of("../docs/netty.md"))).results()
                .map(row -> row.group(1)).toList();

        assertThat(shown).containsExactlyElementsOf(Arrays.stream(UcxNettyMeters.values())
                .map(meter -> "`" + meter.getName() + "` | " + meter.getType().name().toLowerCase(Locale.ROOT) + " | "
                + meter.getBaseUnit() + " | " + meter.description()).toList());
    }
}

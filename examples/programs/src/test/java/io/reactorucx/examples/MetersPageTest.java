package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.reactorucx.netty.UcxNettyMeters;
import io.reactorucx.transport.metrics.UcxMeters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks {@code docs/spec/metrics.md}, and the names in it. {@code ./run test -Dmeters.write} writes the page anew.
 */
class MetersPageTest {

    private static final Path PAGE = Path.of("../../docs/spec/metrics.md");
    private static final String LIMIT = ".limit";

    private static List<MeterDocumentation> all() {
        return Stream.<MeterDocumentation>concat(Stream.of(UcxMeters.values()), Stream.of(UcxNettyMeters.values()))
                .toList();
    }

    @Test
    void pageSaysWhatIsSo() throws IOException {
        String page = new MetersPage().write();
        if (System.getProperty("meters.write") != null) {
            Files.writeString(PAGE, page);
        }

        assertThat(Files.readString(PAGE)).as("docs/spec/metrics.md is out of date: ./run test -Dmeters.write")
                .isEqualTo(page);
    }

    /** A sum over everything below a prefix must not mix amounts of now with counts since the start. */
    @Test
    void onlyALimitAndASharedUnitContinueANameOfAnother() {
        List<String> mixed = new ArrayList<>();
        for (MeterDocumentation each : all()) {
            for (MeterDocumentation longer : all()) {
                boolean continues = longer.getName().startsWith(each.getName() + ".");
                boolean limit = longer.getName().equals(each.getName() + LIMIT) && isGaugeInSameUnit(each, longer);
                boolean part = each.getType() == longer.getType()
                        && Objects.equals(each.getBaseUnit(), longer.getBaseUnit());
                if (continues && !limit && !part) {
                    mixed.add(each.getName() + " and " + longer.getName());
                }
            }
        }

        assertThat(all()).hasSizeGreaterThan(80);
        assertThat(mixed).isEmpty();
    }

    private static boolean isGaugeInSameUnit(MeterDocumentation each, MeterDocumentation limit) {
        return each.getType() == Meter.Type.GAUGE && limit.getType() == Meter.Type.GAUGE
                && Objects.equals(each.getBaseUnit(), limit.getBaseUnit());
    }

    @Test
    void everyLimitStandsBesideWhatItLimits() {
        List<String> names = all().stream().map(MeterDocumentation::getName).toList();
        List<String> limits = names.stream().filter(name -> name.endsWith(LIMIT)).toList();

        // Two meters have this one as their common limit.
        assertThat(limits).isNotEmpty().filteredOn(limit -> !names.contains(limit.substring(0,
                limit.length() - LIMIT.length()))).containsExactly("reactor.ucx.pool.connections.limit");
    }

    @Test
    void noTwoMetersAreOneSeriesInPrometheus() {
        List<String> series = all().stream().flatMap(MetersPageTest::series).toList();

        assertThat(series).doesNotHaveDuplicates().allMatch(name -> name.matches("reactor_ucx_[a-z_]+"));
    }

    private static Stream<String> series(MeterDocumentation meter) {
        String name = MetersPage.inPrometheus(meter);
        return meter.getType() == Meter.Type.TIMER ? Stream.of(name + "_count", name + "_sum", name + "_max")
                : Stream.of(name);
    }
}

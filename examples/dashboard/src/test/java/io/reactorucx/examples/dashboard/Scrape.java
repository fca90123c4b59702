package io.reactorucx.examples.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.reactorucx.examples.dashboard.grafana.Series;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What {@code /actuator/prometheus} says.
 *
 * @param time when, in ms since the epoch
 * @param values of the series
 * @param types of the families
 */
record Scrape(long time, List<Value> values, Map<String, String> types) {

    private static final Pattern LINE = Pattern.compile("(?m)^([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? (\\S+)$");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\S+) (\\S+)$");
    private static final Duration LIMIT = TestTime.seconds(10);

    /**
     * A value of a series.
     *
     * @param name of the series
     * @param labels of the series
     * @param number the value
     */
    record Value(String name, Map<String, String> labels, double number) {
    }

    static Scrape of(HttpClient http, String address) throws IOException, InterruptedException {
        long before = System.currentTimeMillis();
        HttpResponse<String> response = http.send(HttpRequest.newBuilder(URI.create(address)).timeout(LIMIT).build(),
                BodyHandlers.ofString());
        long after = System.currentTimeMillis();
        assertThat(response.statusCode()).as(response::body).isEqualTo(200);
        List<Value> values = new ArrayList<>();
        for (MatchResult line : LINE.matcher(response.body()).results().toList()) {
            Map<String, String> labels = new HashMap<>();
            if (line.group(2) != null) {
                LABEL.matcher(line.group(2)).results().forEach(label -> labels.put(label.group(1), label.group(2)));
            }
            values.add(new Value(line.group(1), labels, Double.parseDouble(line.group(3))));
        }
        Map<String, String> types = new HashMap<>();
        TYPE.matcher(response.body()).results().forEach(type -> types.put(type.group(1), type.group(2)));
        return new Scrape((before + after) / 2, values, types);
    }

    /** {@return the sum that the page should show for a figure} */
    double sum(Figure figure) {
        String series = Series.meters().stream().filter(meter -> meter.getName().equals(figure.meter())).findFirst()
                .map((MeterDocumentation meter) -> Series.names(meter).getFirst())
                .orElse("http_client_requests_seconds_count");
        List<Value> found = values.stream().filter(value -> value.name().equals(series)
                && matches(value, figure.tags()) && Double.isFinite(value.number())).toList();
        assertThat(found).as("series of %s, %s", figure, series).isNotEmpty();
        return found.stream().mapToDouble(Value::number).sum();
    }

    private static boolean matches(Value value, Iterable<Tag> tags) {
        for (Tag tag : tags) {
            if (!tag.getValue().equals(value.labels().get(tag.getKey()))) {
                return false;
            }
        }
        return true;
    }
}

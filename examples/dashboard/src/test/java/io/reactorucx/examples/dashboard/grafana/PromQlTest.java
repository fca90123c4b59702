package io.reactorucx.examples.dashboard.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromQlTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "a_total | a_total",
        "sum by (job, instance) (rate(a_total{cause=\"b_total\"}[5m])) > 0 | a_total",
        "1 - rate(a_empty[5m]) / (rate(a_all[5m]) > 0.05) | a_all, a_empty",
        "histogram_quantile(0.99, sum by (le) (rate(a_bucket{job=~\"$job\"}[$__rate_interval]))) | a_bucket",
        "(rate(a[1m]) == 0) and (b > 0) or c:d:rate5m | a, b, c:d:rate5m",
        "max by (engine) (a) * on (job) group_left (x) b | a, b"})
    void findsTheSeriesOfAnExpression(String expression, String series) {
        assertThat(PromQl.series(expression)).containsExactly(series.split(", "));
    }
}

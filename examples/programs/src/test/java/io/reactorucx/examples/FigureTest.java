package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FigureTest {

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1, 1 B", "999, 999 B", "1000, 1.00 kB", "1234, 1.23 kB", "12345, 12.3 kB", "123456, 123 kB",
        "145959730, 146 MB", "999499999, 999 MB", "999500000, 1.00 GB", "5e12, 5.00 TB", "5e15, 5000 TB"})
    void writesThreeDigitsOfAnAmount(double bytes, String text) {
        assertThat(Figure.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0.5, 0.50 B/s", "336, 336 B/s", "84600000, 84.6 MB/s", "9996000000, 10.0 GB/s"})
    void writesRatesOfData(double bytes, String text) {
        assertThat(Figure.bytesPerSecond(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"21700, 21.7 k/s, 21.7 k", "3, 3 /s, 3", "1030000, 1.03 M/s, 1.03 M"})
    void writesRatesAndNumbersOfOperations(double operations, String rate, String count) {
        assertThat(Figure.perSecond(operations)).isEqualTo(rate);
        assertThat(Figure.count(operations)).isEqualTo(count);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 ns", "650, 650 ns", "34783, 34.8 us", "12400000, 12.4 ms", "2e9, 2.00 s", "5e12, 5000 s"})
    void writesTimes(double nanos, String text) {
        assertThat(Figure.nanos(nanos)).isEqualTo(text);
    }
}

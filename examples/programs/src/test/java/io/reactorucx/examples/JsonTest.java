package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link JsonReader} reads what {@link Json} writes, and is strict, because other tests rely on it. */
class JsonTest {

    @Test
    void writesWhatReadsBackTheSame() {
        Map<String, Object> value = Map.of("te\"xt\\", "a\n\t\u0001\u00e4/", "empty", List.of(), "none", Map.of(),
                "yes", true, "deep", List.of(Map.of("list", List.of(BigDecimal.ONE, new BigDecimal("-1.5E-7"))),
                List.of("x", "y")));

        assertThat(JsonReader.read(Json.text(value))).isEqualTo(value);
    }

    @Test
    void writesPlainValuesOnOneLine() {
        assertThat(Json.text(Map.of("list", List.of(Map.of("a", 1L), Map.of("b", "c"))))).isEqualTo("""
                {
                  "list": [
                    {"a": 1},
                    {"b": "c"}
                  ]
                }
                """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{a:1}", "01", "1.", "NaN", "'a'",
        "\"\\x\"", "\"a", "1 2", "[1 2]", "\"\t\"", "tru"})
    void refusesWhatIsNoJson(String text) {
        assertThatThrownBy(() -> JsonReader.read(text)).isInstanceOf(IllegalArgumentException.class);
    }
}

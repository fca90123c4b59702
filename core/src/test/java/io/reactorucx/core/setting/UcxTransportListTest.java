package io.reactorucx.core.setting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How UCX reads a list of transports, as its contexts show it. */
class UcxTransportListTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"tcp | true | true", "posix,tcp:aux | true | false", "\\tcp | true | true",
        "posix,\\tcp:aux | true | false", "all | true | true", "^posix | true | true", "^tcp | false | false",
        "^posix,tcp | false | false", "^\\tcp | false | false", "posix,self | false | false",
        "TCP,posix | false | false", "posix,tcp:AUX | false | false", "^TCP | true | true",
        "'^posix, tcp' | true | true", "'posix, tcp' | false | false", "^all | true | true",
        "posix,all | false | false", "posix,,tcp | true | true"})
    void knowsWhetherTcpIsOpenedAndCarriesData(String transports, boolean opened, boolean carries) {
        UcxTransportList list = UcxTransportList.of(transports);
        assertThat(list.allows("tcp")).isEqualTo(opened);
        assertThat(list.carries("tcp")).isEqualTo(carries);
        try (UcpContext context = UcpContext.create(UcpConfig.builder().setting("TLS", transports)
                .netDevices("lo").build())) {
            // One that only helps is marked by an a.
            List<String> resources = Arrays.stream(context.info().split("\n"))
                    .filter(line -> line.contains("resource") && line.contains(" tcp/")).toList();
            assertThat(resources.isEmpty()).isEqualTo(!opened);
            assertThat(resources.stream().anyMatch(line -> line.contains("flags --"))).isEqualTo(carries);
        }
    }

    @Test
    void takesTcpForOpenWhereOnlyItsHelpIsExcluded() {
        // UCX 1.18 leaves tcp open then, 1.13 does not.
        assertThat(UcxTransportList.of("^tcp:aux").allows("tcp")).isTrue();
    }

    @Test
    void refusesListsWithoutNames() {
        assertThatThrownBy(() -> UcxTransportList.of(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> new UcxTransportList(false, null, List.of())).hasMessageContaining("names");
        assertThatThrownBy(() -> new UcxTransportList(false, List.of(), null)).hasMessageContaining("helpers");
    }
}

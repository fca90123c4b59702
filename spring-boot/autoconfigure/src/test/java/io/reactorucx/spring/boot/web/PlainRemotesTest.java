package io.reactorucx.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The servers that clients reach by plain TCP. */
class PlainRemotesTest {

    @ParameterizedTest
    @CsvSource({
        "*:443, other, 443, true", "*:443, other, 80, false", "db, db, 5432, true", "db, DB, 1, true",
        "DB, db, 1, true", "db, db2, 5432, false", "db:5432, db, 5432, true", "db:5432, db, 80, false",
        "10.0.0.7, db, 5432, true", "10.0.0.7:5432, db, 5432, true", "10.0.0.8, db, 5432, false",
        "[::1]:80, v6, 80, true", "[::1]:80, v6, 81, false", "'::1', v6, 80, true", "[::1], v6, 80, true"})
    void fits(String rule, String host, int port, boolean expected) throws UnknownHostException {
        byte[] address = host.equals("v6") ? InetAddress.getByName("::1").getAddress() : new byte[] {10, 0, 0, 7};
        InetSocketAddress remote = new InetSocketAddress(InetAddress.getByAddress(host, address), port);
        PlainRemotes remotes = PlainRemotes.of(List.of("unused", rule));

        assertThat(remotes.test(remote)).isEqualTo(expected);
    }

    @Test
    void anUnresolvedNameFitsByItsName() {
        PlainRemotes remotes = PlainRemotes.of(List.of("db"));

        assertThat(remotes.test(InetSocketAddress.createUnresolved("db", 1))).isTrue();
        assertThat(remotes.test(InetSocketAddress.createUnresolved("other", 1))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", ":80", "db:", "db:0", "db:65536", "db:http", "http://db", "[]:80"})
    void refuses(String rule) {
        assertThatThrownBy(() -> PlainRemotes.of(List.of(rule))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("'" + rule + "'");
    }
}

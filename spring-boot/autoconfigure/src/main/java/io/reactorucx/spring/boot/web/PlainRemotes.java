package io.reactorucx.spring.boot.web;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * The servers to which clients connect by plain TCP, by the names and ports of the properties.
 *
 * @param rules each with a host in lower case or {@code *}, and a port or {@link #ANY_PORT}
 */
record PlainRemotes(List<Rule> rules) implements Predicate<InetSocketAddress> {

    private static final String ANY_HOST = "*";
    private static final int ANY_PORT = 0;
    private static final int MAX_PORT = 65_535;

    /**
     * A server, or several.
     *
     * @param host a name or address, or all
     * @param port a port, or all
     */
    record Rule(String host, int port) {

        boolean fits(String name, String address, int remotePort) {
            return (port == ANY_PORT || port == remotePort)
                    && (host.equals(ANY_HOST) || host.equals(name) || host.equals(address));
        }
    }

    /** Parses {@code host}, {@code host:port}, {@code *:port}, and addresses of IPv6 in brackets. */
    static PlainRemotes of(List<String> values) {
        return new PlainRemotes(values.stream().map(PlainRemotes::rule).toList());
    }

    private static Rule rule(String value) {
        String text = value.strip().toLowerCase(Locale.ROOT);
        int colon = text.lastIndexOf(':');
        // An address of IPv6 has colons, and a port only behind brackets.
        boolean hasPort = colon >= 0 && text.indexOf(']', colon) < 0
                && (text.indexOf(':') == colon || text.charAt(colon - 1) == ']');
        String host = hasPort ? text.substring(0, colon) : text;
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        int port = hasPort ? port(text.substring(colon + 1), value) : ANY_PORT;
        if (host.isEmpty() || host.contains("/") || host.equals(ANY_HOST) && port == ANY_PORT) {
            throw refused(value);
        }
        return new Rule(host.indexOf(':') >= 0 ? InetAddress.ofLiteral(host).getHostAddress() : host, port);
    }

    private static int port(String text, String value) {
        try {
            int port = Integer.parseInt(text);
            if (port >= 1 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw refused(value);
        }
        throw refused(value);
    }

    private static IllegalArgumentException refused(String value) {
        return new IllegalArgumentException("'" + value + "': must be host, host:port or *:port, with a port in 1.."
                + MAX_PORT);
    }

    /** Called by loops: it resolves no name. */
    @Override
    public boolean test(InetSocketAddress remote) {
        String name = remote.getHostString().toLowerCase(Locale.ROOT);
        String address = remote.getAddress() == null ? name : remote.getAddress().getHostAddress();
        return rules.stream().anyMatch(rule -> rule.fits(name, address, remote.getPort()));
    }
}

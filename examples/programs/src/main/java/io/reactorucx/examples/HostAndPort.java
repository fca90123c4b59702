package io.reactorucx.examples;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The address of a server, as an argument gives it.
 *
 * @param host a name or an address, without brackets
 * @param port 1 to 65535
 */
record HostAndPort(String host, int port) {

    private static final Pattern FORM = Pattern.compile(
            "(?:\\[([0-9A-Fa-f:.]+(?:%\\w+)?)]|([^\\s:\\[\\]/]+)):(\\d{1,5})");
    private static final int MAX_PORT = 65535;

    /** Reads one from an argument. */
    static final class Converter implements ITypeConverter<HostAndPort> {

        @Override
        public HostAndPort convert(String value) {
            Matcher matcher = FORM.matcher(value);
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + value + "' is not HOST:PORT, with an IPv6 address in brackets");
            }
            int port = Integer.parseInt(matcher.group(3));
            if (port < 1 || port > MAX_PORT) {
                throw new TypeConversionException("'" + value + "' is not HOST:PORT: the port has to be 1 to "
                        + MAX_PORT);
            }
            return new HostAndPort(matcher.group(1) == null ? matcher.group(2) : matcher.group(1), port);
        }
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}

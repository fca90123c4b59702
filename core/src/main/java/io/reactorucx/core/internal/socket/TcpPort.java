package io.reactorucx.core.internal.socket;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Chooses the port on which UCX's tcp listens, so that the sockets can be told from others of the process. */
public final class TcpPort {

    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");
    private static final int MAX_TRIES = 100;
    private static final int MAX_PORT = 0xFFFF;

    private TcpPort() {
    }

    /**
     * Returns a port that nothing listens on now.
     *
     * @param range UCX's setting TCP_PORT_RANGE: a port or two with a hyphen, 0 for any
     * @return the port, 0 when the range has no free one or is not understood
     */
    public static int free(String range) {
        Matcher parts = RANGE.matcher(range.trim());
        if (!parts.matches()) {
            return 0;
        }
        int first = Integer.parseInt(parts.group(1));
        int last = parts.group(2) == null ? first : Integer.parseInt(parts.group(2));
        if (first > last || last > MAX_PORT) {
            return 0;
        }
        for (int i = 0; i < MAX_TRIES; i++) {
            int wanted = last == 0 ? 0 : ThreadLocalRandom.current().nextInt(Math.max(1, first), last + 1);
            try (ServerSocket probe = new ServerSocket(wanted, 1)) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // Taken: another one.
            }
        }
        return 0;
    }
}

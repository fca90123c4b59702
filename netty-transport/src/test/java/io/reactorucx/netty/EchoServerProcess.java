package io.reactorucx.netty;

import io.netty.channel.unix.DomainSocketAddress;
import io.reactorucx.testsupport.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A process with an echo server, which prints its port, 0 for a path, and runs until it is killed. To each line of its
 * input it prints how many channels it has.
 */
final class EchoServerProcess {

    /** The property with the address that it listens on, by default loopback. */
    static final String HOST = "host";
    /** The property with the path of the domain socket that it listens on instead. */
    static final String PATH = "path";
    /** The property with the interval of heartbeats. */
    static final String HEARTBEAT_MILLIS = "heartbeat.millis";
    /** How the line with its port begins. */
    static final String PORT = "port ";
    /** How the lines with the number of its channels begin. */
    private static final String CHANNELS = "channels ";

    private EchoServerProcess() {
    }

    /** Loops with another interval of heartbeats. */
    static UcxNettyConfig config(Duration heartbeat, String... transports) {
        UcxNettyConfig defaults = UcxNettyConfig.DEFAULT;
        return defaults.withTransports(transports).withTimeouts(defaults.handshakeTimeout(), defaults.closeTimeout(),
                heartbeat, defaults.linkIdleTimeout());
    }

    /** Asks such a process how many channels it has. */
    static int channelsOf(ChildJvm process) {
        process.send("how many");
        return Integer.parseInt(process.awaitLine(CHANNELS).substring(CHANNELS.length()));
    }

    public static void main(String[] arguments) throws IOException {
        TestLoops loops = new TestLoops("server", 2, config(Duration.ofMillis(Long.getLong(HEARTBEAT_MILLIS,
                UcxNettyConfig.DEFAULT.heartbeatInterval().toMillis())), arguments));
        String path = System.getProperty(PATH);
        SocketAddress address = EchoChannel.serve(loops, path != null ? new DomainSocketAddress(path)
                : new InetSocketAddress(InetAddress.getByName(System.getProperty(HOST, "127.0.0.1")), 0),
                new CopyOnWriteArrayList<>()).localAddress();
        System.out.println(PORT + (address instanceof InetSocketAddress inet ? inet.getPort() : 0));
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (questions.readLine() != null) {
            System.out.println(CHANNELS + loops.sum(UcxLoopStatistics::channels));
        }
    }
}

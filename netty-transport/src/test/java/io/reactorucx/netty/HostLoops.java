package io.reactorucx.netty;

import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.HostCommands;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;

/** A program on one of two hosts: servers and clients of HTTP over the loops of UCX. */
final class HostLoops {

    static final String DEVICES = "host.devices";

    private static final Duration LIMIT = TestTime.seconds(15);
    private static final int BODY_BYTES = 1 << 20;

    private final UcxLoopResources loops;

    private HostLoops() {
        String devices = System.getProperty(DEVICES);
        UcxNettyConfig config = UcxNettyConfig.DEFAULT;
        loops = UcxLoopResources.create("host", 1, devices == null ? config : config.withNetworkDevices(devices));
    }

    public static void main(String[] arguments) throws IOException {
        HostLoops program = new HostLoops();
        HostCommands.run(program::done, end -> {
            program.loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
            return "ended";
        });
    }

    private String done(String[] words) {
        try {
            InetAddress host = InetAddress.getByName(words[1]);
            return words[0].equals("bind") ? HostCommands.BOUND + bind(host)
                    : HostCommands.CONNECTED + connect(new InetSocketAddress(host, Integer.parseInt(words[2])));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private int bind(InetAddress host) {
        return HttpServer.create().runOn(loops).bindAddress(() -> new InetSocketAddress(host, 0))
                .handle((request, response) -> response.sendByteArray(Mono.just(new byte[BODY_BYTES])))
                .bindNow(LIMIT).port();
    }

    private int connect(InetSocketAddress server) {
        return Objects.requireNonNull(HttpClient.create(ConnectionProvider.newConnection()).runOn(loops)
                .remoteAddress(() -> server).get().uri("/").responseContent().aggregate().asByteArray().block(LIMIT))
                .length;
    }
}

package io.reactorucx.examples;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpServer;

/** The server process of {@link NettyCommand}: echoes bytes and answers GETs until the first echo client closes. */
@Command(name = "netty-server", hidden = true, description = "The server process of netty.")
final class NettyServer implements Callable<Integer> {

    /** Where the greeting is. */
    static final String PATH = "/greeting";
    /** What a GET of it returns. */
    static final String GREETING = "Hello";

    private static final String HOST = "127.0.0.1";
    private static final Duration CLIENT_LIMIT = Duration.ofSeconds(30);

    @Option(names = "--ucx")
    private boolean ucx;

    private final Sinks.Empty<Void> arrived = Sinks.empty();
    private final Sinks.Empty<Void> left = Sinks.empty();

    @Override
    public Integer call() {
        LoopResources loops = NettyCommand.loops(ucx);
        try {
            serve(loops);
            return 0;
        } catch (RuntimeException e) {
            System.out.println(DemoServer.FAILED + Failures.inOneLine(e));
            return 1;
        } finally {
            loops.disposeLater(Duration.ZERO, NettyCommand.END_LIMIT).block();
        }
    }

    private void serve(LoopResources loops) {
        DisposableServer echo = TcpServer.create().host(HOST).port(0).runOn(loops).doOnConnection(connection -> {
            arrived.tryEmitEmpty();
            connection.onDispose(left::tryEmitEmpty);
        }).handle((in, out) -> out.send(in.receive().retain())).bindNow();
        DisposableServer http = HttpServer.create().host(HOST).port(0).runOn(loops)
                .route(routes -> routes.get(PATH, (request, response) -> response.sendString(Mono.just(GREETING))))
                .bindNow();
        System.out.println(DemoServer.READY + echo.port() + " " + http.port());
        arrived.asMono().timeout(CLIENT_LIMIT).then(left.asMono()).block();
        echo.disposeNow();
        http.disposeNow();
    }
}

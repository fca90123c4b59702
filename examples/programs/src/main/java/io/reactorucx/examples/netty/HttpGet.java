package io.reactorucx.examples.netty;

import io.reactorucx.examples.DemoFailure;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/** GETs of a greeting, by Reactor Netty. */
final class HttpGet implements Protocol {

    private static final String PATH = "/greeting";
    private static final String GREETING = "Hello";

    /** A client with one connection, which stays open. */
    private record Client(ConnectionProvider provider, Mono<String> get) implements Caller {

        @Override
        public void call(Answer answer) {
            get.subscribe(text -> { }, answer::failed, answer::arrived);
        }

        @Override
        public void close() {
            provider.disposeLater().block(LIMIT);
        }
    }

    @Override
    public int bytes() {
        return GREETING.length();
    }

    @Override
    public Service serve(LoopResources loops) {
        DisposableServer server = HttpServer.create().host(HOST).port(0).runOn(loops)
                .route(routes -> routes.get(PATH, (request, response) -> response.sendString(Mono.just(GREETING))))
                .bindNow();
        return new Service(server.port(), () -> server.disposeNow(LIMIT));
    }

    @Override
    public Caller connect(LoopResources loops, int port) {
        ConnectionProvider provider = ConnectionProvider.create("http-get", 1);
        HttpClient client = HttpClient.create(provider).host(HOST).port(port).runOn(loops);
        return new Client(provider, client.get().uri(PATH).responseContent().aggregate().asString().defaultIfEmpty("")
                .map(HttpGet::checked));
    }

    private static String checked(String text) {
        if (!text.equals(GREETING)) {
            throw new DemoFailure("the server answered '" + text + "' instead of '" + GREETING + "'");
        }
        return text;
    }
}

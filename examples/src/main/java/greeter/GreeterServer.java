package greeter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxResponder;
import reactor.core.publisher.Mono;

record GreeterServer(UcxResources resources) implements UcxResponder {

    @Override
    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        String name = request.toString(UTF_8);
        request.release();
        return Mono.fromCallable(() -> resources.buffers().copyOf(("Hello " + name).getBytes(UTF_8)));
    }

    public static void main(String[] args) {
        UcxResources resources = UcxResources.create();
        Runtime.getRuntime().addShutdownHook(new Thread(resources::disposeNow));
        UcxBoundServer server = UcxServer.create(resources)
                .bindAddress("127.0.0.1", args.length > 0 ? Integer.parseInt(args[0]) : 13337)
                .respond(new GreeterServer(resources))
                .bindNow();
        System.out.println("listening on port " + server.port());
        server.onDispose().block();
    }
}

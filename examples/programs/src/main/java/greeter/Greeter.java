package greeter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxResponder;
import java.time.Duration;
import reactor.core.publisher.Mono;

record Greeter(UcxResources resources) implements UcxResponder {

    @Override
    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        String name = request.toString(UTF_8);
        request.release();
        return Mono.fromCallable(() -> resources.buffers().copyOf(("Hello " + name).getBytes(UTF_8)));
    }

    public static void main(String[] args) {
        UcxResources resources = UcxResources.create();
        try {
            UcxBoundServer server = UcxServer.create(resources)
                    .bindAddress("127.0.0.1", 0)
                    .respond(new Greeter(resources))
                    .bindNow();
            String greeting = UcxClient.create(resources)
                    .remoteAddress(server.address())
                    .connectNow()
                    .requester()
                    .withDeadline(Duration.ofSeconds(2))
                    .requestResponse("UCX".getBytes(UTF_8))
                    .map(response -> new String(response, UTF_8))
                    .block();
            System.out.println(greeting);
        } finally {
            resources.disposeNow();
        }
    }
}

package io.reactorucx.benchmarks.startup;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxResponder;
import java.io.IOException;
import java.io.OutputStream;
import reactor.core.publisher.Mono;

/** Responds with the request, in the default settings. Ends with its standard input. */
final class StartupServer implements UcxResponder {

    static final String READY = "READY ";

    @Override
    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        return Mono.just(request);
    }

    public static void main(String[] args) throws IOException {
        UcxResources resources = UcxResources.create();
        try {
            UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0)
                    .respond(new StartupServer()).bindNow();
            System.out.println(READY + server.port());
            System.in.transferTo(OutputStream.nullOutputStream());
        } finally {
            resources.disposeNow();
        }
    }
}

package io.reactorucx.examples;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import reactor.core.publisher.Mono;

/** The smallest program with a server and a client; the README shows its body. */
@Command(name = "quickstart", description = "Starts a server that responds with a greeting, and its client.")
final class QuickStart implements Callable<Integer> {

    @Override
    public Integer call() {
        System.out.println(run());
        return 0;
    }

    static String run() {
        // README
        UcxResources resources = UcxResources.create();

        UcxBoundServer server = UcxServer.create(resources)
                .bindAddress("127.0.0.1", 0)
                .handle((in, out) -> out.sendStrings(in.receiveStrings().map(name -> "Hello " + name)))
                .bindNow();

        UcxConnection connection = UcxClient.create(resources)
                .remoteAddress("127.0.0.1", server.port())
                .connectNow();

        String greeting = connection.inbound().receiveStrings()
                .mergeWith(connection.outbound().sendStrings(Mono.just("UCX")).then(Mono.empty()))
                .blockFirst(Duration.ofSeconds(10));
        connection.disposeNow();
        server.disposeNow();
        resources.disposeNow();
        // README
        return String.valueOf(greeting);
    }
}

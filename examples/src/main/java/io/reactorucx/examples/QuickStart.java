package io.reactorucx.examples;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import reactor.core.publisher.Mono;

/** The smallest program with a server and a client; the README shows its body. */
@Command(name = "quickstart", mixinStandardHelpOptions = true, description = "A server that answers a greeting, and its client.")
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
                .handle(connection -> connection.activeMessages().receive(1)
                        .map(question -> new String(question.data().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8))
                        .concatMap(name -> connection.activeMessages().send(2, ("Hello " + name).getBytes(StandardCharsets.UTF_8)))
                        .then())
                .bindNow();

        UcxConnection connection = UcxClient.create(resources)
                .remoteAddress("127.0.0.1", server.port())
                .connectNow();

        Mono<String> answer = connection.activeMessages().receive(2).next()
                .map(message -> new String(message.data().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8))
                .doOnSubscribe(subscribed -> connection.activeMessages().send(1, "UCX".getBytes(StandardCharsets.UTF_8)).subscribe());

        String greeting = answer.block(Duration.ofSeconds(5));
        connection.disposeNow();
        server.disposeNow();
        resources.disposeNow();
        // README
        return String.valueOf(greeting);
    }
}

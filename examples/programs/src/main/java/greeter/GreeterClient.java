package greeter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import java.time.Duration;

final class GreeterClient {

    public static void main(String[] args) {
        UcxResources resources = UcxResources.create();
        try {
            String greeting = UcxClient.create(resources)
                    .remoteAddress("127.0.0.1", args.length > 0 ? Integer.parseInt(args[0]) : 13337)
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

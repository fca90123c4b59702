package greeter;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;

final class GreeterServer {

    public static void main(String[] args) {
        UcxResources resources = UcxResources.create();
        Runtime.getRuntime().addShutdownHook(new Thread(resources::disposeNow));
        UcxBoundServer server = UcxServer.create(resources)
                .bindAddress("127.0.0.1", args.length > 0 ? Integer.parseInt(args[0]) : 13337)
                .respond(new Greeter(resources))
                .bindNow();
        System.out.println("listening on port " + server.port());
        server.onDispose().block();
    }
}

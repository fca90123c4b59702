package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.TestTime;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** A server that echoes until its input ends, or a client that calls one server after the other. */
final class NamespacesProgram {

    static final String TRANSPORTS = "namespaces.transports";
    /** Names of kinds that both sides require. */
    static final String REQUIRED = "namespaces.required";
    static final String READY = "ready ";
    static final String CONNECTED = "connected ";
    static final String FAILED = "failed ";

    private NamespacesProgram() {
    }

    public static void main(String[] args) throws Exception {
        UcxResourcesBuilder builder = UcxResources.builder();
        String transports = System.getProperty(TRANSPORTS, "");
        UcxResources resources = (transports.isEmpty() ? builder : builder.transports(transports.split(","))).build();
        if (args[0].equals("server")) {
            UcxBoundServer server = UcxServer.create(resources).require(required()).bindAddress(args[1], 0)
                    .respond(new UcxResponder() {
                        @Override
                        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                            return Mono.just(request);
                        }
                    }).bindNow();
            System.out.println(READY + server.port());
            System.in.read();
        } else {
            for (int i = 1; i < args.length; i++) {
                int colon = args[i].lastIndexOf(':');
                call(resources, args[i].substring(0, colon), Integer.parseInt(args[i].substring(colon + 1)));
            }
        }
        resources.disposeNow();
    }

    private static UcxTransportKind[] required() {
        return Stream.of(System.getProperty(REQUIRED, "").split(",")).filter(name -> !name.isEmpty())
                .map(UcxTransportKind::valueOf).toArray(UcxTransportKind[]::new);
    }

    private static void call(UcxResources resources, String host, int port) {
        try {
            UcxConnection connection = UcxClient.create(resources).require(required()).remoteAddress(host, port)
                    .connect().block();
            byte[] response = connection.requester().requestResponse("hello".getBytes(UTF_8))
                    .block(TestTime.seconds(20));
            System.out.println(CONNECTED + new String(response, UTF_8) + " " + connection.transports());
        } catch (UcxException e) {
            System.out.println(FAILED + e.status() + " " + e.getMessage());
        }
    }
}

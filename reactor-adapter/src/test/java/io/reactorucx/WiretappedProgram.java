package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.transport.WiretapFormat;
import org.slf4j.event.Level;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A server and a client with wiretaps of different formats, whose log the test reads. */
final class WiretappedProgram {

    static final String REQUEST = "what is\nthe time?";

    private WiretappedProgram() {
    }

    /**
     * The process.
     *
     * @param args none
     */
    public static void main(String[] args) {
        UcxResources resources = UcxResources.builder().transports("tcp").build();
        try {
            UcxBoundServer server = UcxServer.create(resources).wiretap("tap.server", Level.INFO)
                    .handle((in, out) -> in.receive().doOnNext(UcxBuffer::release).then())
                    .respond(new UcxResponder() {
                        @Override
                        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                            return Mono.just(request);
                        }
                    }).bindNow();
            UcxClient client = UcxClient.create(resources).remoteAddress("127.0.0.1", server.port());
            UcxConnection text = client.wiretap("tap.text", Level.INFO, WiretapFormat.TEXT, 64).connectNow();
            text.requester().requestResponse(REQUEST.getBytes(UTF_8)).block(Waits.PATIENCE);
            System.out.println("text " + text.id() + " " + text.peer());
            text.disposeNow();
            UcxConnection simple = client.wiretap("tap.simple", Level.INFO, WiretapFormat.SIMPLE, 64).connectNow();
            simple.outbound().sendByteArrays(Flux.just(new byte[100_000])).block(Waits.PATIENCE);
            simple.disposeNow();
            UcxConnection silent = client.wiretap("tap.debug", Level.DEBUG).connectNow();
            silent.requester().requestResponse(REQUEST.getBytes(UTF_8)).block(Waits.PATIENCE);
            silent.disposeNow();
        } finally {
            resources.disposeNow();
        }
    }
}

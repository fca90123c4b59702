package io.reactorucx.examples.dashboard;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The peer: HTTP over UCX, requests and messages. */
@EnableAutoConfiguration
@Import({UcxConfiguration.class, HostCheck.class, QuoteController.class})
class PeerApplication {

    /** The line that says that the peer listens. */
    static final String READY = "ready";

    /**
     * Starts the peer, which runs until its standard input ends.
     *
     * @param arguments properties of Spring, such as {@code --server.port=20000 --peer.port=20001}
     */
    public static void main(String[] arguments) {
        Lifeline.watch();
        SpringApplication.run(PeerApplication.class, arguments);
        System.out.println(READY);
    }

    /** Responds to requests, and sends each message back. */
    @Bean(destroyMethod = "disposeNow")
    UcxBoundServer ucxServer(UcxResources resources, @Value("${peer.port}") int port) {
        return UcxServer.create(resources)
                .bindAddress("127.0.0.1", port)
                .respond(new EchoResponder())
                .handle((in, out) -> out.send(in.receive()))
                .bindNow();
    }
}

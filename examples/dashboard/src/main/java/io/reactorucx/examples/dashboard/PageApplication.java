package io.reactorucx.examples.dashboard;

import io.micrometer.core.instrument.MeterRegistry;
import io.reactorucx.UcxResources;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.reactive.function.client.WebClient;

/** The service: its traffic with the peer, and the page that shows the meters of both. */
@EnableAutoConfiguration
@Import({UcxConfiguration.class, HostCheck.class, LiveController.class, PageHeaders.class})
class PageApplication {

    @Bean
    PeerLink peerLink(UcxResources resources, @Value("${dashboard.peer.port}") int port) {
        return PeerLink.connect(resources, port);
    }

    @Bean
    Traffic traffic(PeerLink link, UcxResources resources, WebClient.Builder http,
            @Value("${dashboard.peer.http-port}") int port, @Value("${dashboard.load}") boolean load) {
        return new Traffic(link, resources.buffers(), http.baseUrl("http://127.0.0.1:" + port).build(), load);
    }

    @Bean
    Sampler sampler(MeterRegistry registry, PeerLink link) {
        return new Sampler(registry, link);
    }
}

package io.reactorucx.examples.store;

import io.reactorucx.examples.store.replica.Replicas;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.event.EventListener;

/**
 * A node of the store.
 *
 * <p><b>Threading:</b> Spring's. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class StoreNode {

    /** Begins the line that names the port of HTTP. */
    public static final String READY = "ready ";

    /** For Spring. */
    protected StoreNode() {
    }

    /**
     * Starts the node, which runs until its process gets SIGTERM.
     *
     * @param arguments properties of Spring, such as {@code --store.node=1}
     */
    public static void main(String[] arguments) {
        SpringApplication.run(StoreNode.class, Stream.concat(Arrays.stream(arguments),
                Stream.of("--store.started=" + System.currentTimeMillis())).toArray(String[]::new));
    }

    @EventListener
    void begin(ApplicationReadyEvent event) {
        event.getApplicationContext().getBean(Replicas.class).start();
        if (event.getApplicationContext().getBean(StoreProperties.class).endWithInput()) {
            Thread.ofPlatform().daemon().name("end-with-input").start(StoreNode::endWithInput);
        }
        if (event.getApplicationContext() instanceof ReactiveWebServerApplicationContext web
                && web.getWebServer() != null) {
            System.out.println(READY + web.getWebServer().getPort());
        }
    }

    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) {
                // Only its end matters.
            }
        } catch (IOException e) {
            // An input that cannot be read has ended.
        }
        Runtime.getRuntime().halt(1);
    }
}

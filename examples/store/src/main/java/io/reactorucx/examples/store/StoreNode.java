package io.reactorucx.examples.store;

import io.reactorucx.examples.store.replica.Replicas;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.ApplicationListener;
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
     * Starts the node, which runs until its process gets SIGTERM, or with {@code store.end-with-input} until the end of
     * its standard input, as when its parent is gone.
     *
     * @param arguments properties of Spring, such as {@code --store.node=1}
     */
    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(StoreNode.class);
        application.addListeners((ApplicationListener<ApplicationEnvironmentPreparedEvent>) StoreNode::watchInput);
        application.run(Stream.concat(Arrays.stream(arguments),
                Stream.of("--store.started=" + System.currentTimeMillis())).toArray(String[]::new));
    }

    /** From before the start of all else, which waits for a registry that may have died with the parent. */
    private static void watchInput(ApplicationEnvironmentPreparedEvent event) {
        if (event.getEnvironment().getProperty("store.end-with-input", Boolean.class, false)) {
            Thread.ofPlatform().daemon().name("end-with-input").start(StoreNode::endWithInput);
        }
    }

    @EventListener
    void begin(ApplicationReadyEvent event) {
        event.getApplicationContext().getBean(Replicas.class).start();
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

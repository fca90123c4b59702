package io.reactorucx.examples.boot;

import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

/**
 * The application: JSON, server-sent events, files and a WebSocket.
 *
 * <p><b>Threading:</b> Spring's. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class BootExample {

    /** Begins the line that names the port. */
    public static final String READY = "ready ";
    /** Begins the line that names the type of the first connection's channel. */
    public static final String CHANNEL = "channel ";

    /** For Spring. */
    protected BootExample() {
    }

    /**
     * Starts the application, which runs until its process gets SIGTERM.
     *
     * @param arguments properties of Spring, such as {@code --server.port=0 --example.ucx=true}
     */
    public static void main(String[] arguments) {
        SpringApplication.run(BootExample.class, arguments);
    }

    @EventListener
    void announce(ReactiveWebServerInitializedEvent event) {
        System.out.println(READY + event.getWebServer().getPort());
    }

    @Bean
    NettyServerCustomizer announceChannel() {
        AtomicBoolean announced = new AtomicBoolean();
        return server -> server.doOnConnection(connection -> {
            if (announced.compareAndSet(false, true)) {
                System.out.println(CHANNEL + connection.channel().getClass().getSimpleName());
            }
        });
    }
}

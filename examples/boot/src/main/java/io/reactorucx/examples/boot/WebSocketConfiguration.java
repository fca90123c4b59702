package io.reactorucx.examples.boot;

import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.WebSocketMessage;

/** A WebSocket that sends each message back. */
@Configuration(proxyBeanMethods = false)
class WebSocketConfiguration {

    @Bean
    HandlerMapping webSockets() {
        WebSocketHandler echo = session -> session.send(session.receive().doOnNext(WebSocketMessage::retain));
        return new SimpleUrlHandlerMapping(Map.of("/socket", echo), Ordered.HIGHEST_PRECEDENCE);
    }
}

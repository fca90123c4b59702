package io.reactorucx.examples.dashboard;

import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Forbids the page everything that does not come from this service. */
class PageHeaders implements WebFilter {

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        exchange.getResponse().getHeaders().set("Content-Security-Policy", "default-src 'self'");
        exchange.getResponse().getHeaders().set("X-Content-Type-Options", "nosniff");
        return chain.filter(exchange);
    }
}

package io.reactorucx.examples.dashboard;

import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Forbids the page everything that does not come from this service, and other pages to show it within them. */
class PageHeaders implements WebFilter {

    /** {@code default-src} says nothing about what stands behind it. */
    static final String POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        exchange.getResponse().getHeaders().set("Content-Security-Policy", POLICY);
        exchange.getResponse().getHeaders().set("X-Content-Type-Options", "nosniff");
        return chain.filter(exchange);
    }
}

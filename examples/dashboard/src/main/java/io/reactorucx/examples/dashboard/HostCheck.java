package io.reactorucx.examples.dashboard;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Answers only what is asked by the address at which this service listens, or by {@code localhost}. A web page of a
 * stranger whose name resolves to this host (DNS rebinding) asks by that name, and would read all answers.
 */
class HostCheck implements WebFilter {

    /** Misdirected Request: this server does not answer for that host. */
    private static final int MISDIRECTED = 421;
    private static final int DEFAULT_PORT = 80;

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        InetSocketAddress local = exchange.getRequest().getLocalAddress();
        if (local != null && isOf(exchange.getRequest().getHeaders().getHost(), local)) {
            return chain.filter(exchange);
        }
        ServerHttpResponse response = exchange.getResponse();
        response.setStatusCode(HttpStatusCode.valueOf(MISDIRECTED));
        response.getHeaders().setContentType(MediaType.TEXT_PLAIN);
        return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(
                "Ask by the address at which this service listens.".getBytes(StandardCharsets.US_ASCII))));
    }

    private static boolean isOf(@Nullable InetSocketAddress host, InetSocketAddress local) {
        if (host == null || (host.getPort() == 0 ? DEFAULT_PORT : host.getPort()) != local.getPort()) {
            return false;
        }
        InetAddress address = local.getAddress();
        String name = host.getHostString().toLowerCase(Locale.ROOT);
        if (address == null || name.equals("localhost")) {
            return address != null && address.isLoopbackAddress();
        }
        try {
            return InetAddress.ofLiteral(name.startsWith("[") && name.endsWith("]")
                    ? name.substring(1, name.length() - 1) : name).equals(address);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

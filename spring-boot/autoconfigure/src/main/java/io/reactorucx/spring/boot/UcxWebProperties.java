package io.reactorucx.spring.boot;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties that put the web server and its clients on UCX.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 *
 * @param server The web server of the application.
 * @param client What the auto-configured 'WebClient.Builder' and HTTP service clients make.
 */
@ConfigurationProperties("reactor.ucx.web")
public record UcxWebProperties(@DefaultValue Server server, @DefaultValue Client client) {

    /**
     * The web server of the application.
     *
     * @param enabled Whether WebFlux's server runs over UCX.
     */
    public record Server(@DefaultValue("false") boolean enabled) {
    }

    /**
     * Clients of the application.
     *
     * @param enabled Whether auto-configured WebClients and HTTP service clients run over UCX.
     */
    public record Client(@DefaultValue("false") boolean enabled) {
    }
}

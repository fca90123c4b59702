package io.reactorucx.examples.boot;

import io.reactorucx.netty.resources.UcxLoopResources;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * Puts the server and the clients of an application on loops of UCX.
 *
 * <p><b>Threading:</b> Spring's. <b>Ownership:</b> the context disposes of the loops. <b>Errors:</b> the context does
 * not start without UCX.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("example.ucx")
public class UcxConfiguration {

    /** For Spring. */
    protected UcxConfiguration() {
    }

    // snippet: bean
    @Bean
    ReactorResourceFactory reactorResourceFactory() {
        ReactorResourceFactory factory = new ReactorResourceFactory();
        factory.setUseGlobalResources(false);
        factory.setLoopResourcesSupplier(() -> UcxLoopResources.create("ucx"));
        return factory;
    }
    // end
}

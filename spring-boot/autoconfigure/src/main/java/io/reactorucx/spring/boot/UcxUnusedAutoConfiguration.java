package io.reactorucx.spring.boot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Configuration;

/** Says which properties have no effect in this application, because it has nothing that they could put on UCX. */
@AutoConfiguration(afterName = {
    "org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration",
    "org.springframework.boot.rsocket.autoconfigure.RSocketMessagingAutoConfiguration"})
public final class UcxUnusedAutoConfiguration {

    private static final String SERVER = "reactor.ucx.web.server.enabled";
    private static final String CLIENT = "reactor.ucx.web.client.enabled";
    private static final String RSOCKET = "reactor.ucx.rsocket.server.enabled";
    private static final Logger LOG = LoggerFactory.getLogger(UcxUnusedAutoConfiguration.class);

    /** For Spring. */
    UcxUnusedAutoConfiguration() {
    }

    private static void warn(String property, String reason) {
        LOG.warn("{} has no effect, because {}", property, reason);
    }

    /** The web server is another one, such as Tomcat, or there is none. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(SERVER)
    @ConditionalOnMissingBean(type = "org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory")
    static class NoServerConfiguration {

        NoServerConfiguration() {
            warn(SERVER, "the application has no web server of Reactor Netty. spring-boot-starter-webflux brings one,"
                    + " which is not used beside spring-boot-starter-webmvc");
        }
    }

    /** Other clients make the requests. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(CLIENT)
    @ConditionalOnMissingClass("reactor.netty.http.client.HttpClient")
    static class NoClientConfiguration {

        NoClientConfiguration() {
            warn(CLIENT, "the application has no clients of Reactor Netty. spring-boot-starter-webclient brings them");
        }
    }

    /** Nothing answers. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(RSOCKET)
    @ConditionalOnMissingBean(type = "org.springframework.messaging.rsocket.annotation.support.RSocketMessageHandler")
    static class NoResponderConfiguration {

        NoResponderConfiguration() {
            warn(RSOCKET, "the application has no RSocketMessageHandler. spring-boot-starter-rsocket brings one");
        }
    }
}

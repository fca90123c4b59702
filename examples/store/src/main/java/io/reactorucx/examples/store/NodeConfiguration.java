package io.reactorucx.examples.store;

import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.client.NodeDirectory;
import io.reactorucx.examples.store.replica.Replicas;
import io.reactorucx.spring.boot.discovery.UcxInstance;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.rsocket.annotation.support.RSocketMessageHandler;

/** The configuration that only a node has: its values, and the servers of its RSocket and memory. */
@Configuration(proxyBeanMethods = false)
class NodeConfiguration {

    @Bean(destroyMethod = "close")
    Replicas replicas(StoreProperties store, UcxResources resources, CuratorFramework registry, NodeDirectory peers) {
        return new Replicas(store.replicas(), resources, registry, peers);
    }

    @Bean(destroyMethod = "close")
    NodeServers nodeServers(StoreProperties store, UcxResources resources, RSocketMessageHandler messages) {
        return NodeServers.bind(store.host(), resources, messages.responder());
    }

    // snippet: advertise
    /** Goes into the node's metadata in the registry. */
    @Bean
    UcxInstance ucxInstance(StoreProperties store, NodeServers servers) {
        return new UcxInstance(store.host(), servers.ucxPort(), servers.tcpPort(), true);
    }
    // end
}

package io.reactorucx.spring.boot.discovery;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.serviceregistry.Registration;
import org.springframework.cloud.zookeeper.serviceregistry.ZookeeperRegistration;

/**
 * A registration of ZooKeeper shows its metadata only when its payload has been built, and keeps them when it sets the
 * port.
 */
final class ZookeeperMetadata implements RegistrationMetadata {

    @Override
    public @Nullable Map<String, String> of(Registration registration) {
        if (!(registration instanceof ZookeeperRegistration zookeeper)) {
            return registration.getMetadata();
        }
        // Builds it. Without a port, which is 0 now and set later, its other methods fail.
        zookeeper.setPort(zookeeper.getPort());
        return zookeeper.getServiceInstance().getPayload().getMetadata();
    }
}

package io.reactorucx.spring.boot.discovery;

import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.client.discovery.event.InstancePreRegisteredEvent;
import org.springframework.context.ApplicationListener;

/** Adds this instance's {@link UcxInstance} to its metadata before it is registered. */
final class UcxRegistrationListener implements ApplicationListener<InstancePreRegisteredEvent> {

    private static final Logger LOG = LoggerFactory.getLogger(UcxRegistrationListener.class);

    private final UcxInstance self;
    private final RegistrationMetadata metadata;

    UcxRegistrationListener(UcxInstance self, RegistrationMetadata metadata) {
        this.self = self;
        this.metadata = metadata;
    }

    @Override
    public void onApplicationEvent(InstancePreRegisteredEvent event) {
        try {
            Map<String, String> into = metadata.of(event.getRegistration());
            if (into == null) {
                throw new UnsupportedOperationException("the registration has no metadata");
            }
            // Metadata that the application has set by itself stay.
            self.toMetadata().forEach(into::putIfAbsent);
        } catch (UnsupportedOperationException e) {
            LOG.warn("the metadata of {} cannot be changed, so callers use TCP; add {} by properties of the registry",
                    event.getRegistration().getServiceId(), self.toMetadata(), e);
        }
    }
}

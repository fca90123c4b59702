package io.reactorucx.spring.boot.discovery;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.serviceregistry.Registration;

/** Finds the metadata of a registration that has not been sent to the registry, to be changed. */
@FunctionalInterface
interface RegistrationMetadata {

    @Nullable Map<String, String> of(Registration registration);
}

package io.reactorucx.spring.boot;

import io.reactorucx.UcxResourcesBuilder;

/**
 * A bean that changes the builder of the auto-configured {@link io.reactorucx.UcxResources} after the properties have.
 *
 * <p><b>Threading:</b> that of the first use of the resources. <b>Ownership:</b> none. <b>Errors:</b> what it throws
 * stops the start.
 */
@FunctionalInterface
public interface UcxResourcesBuilderCustomizer {

    /**
     * Changes the builder.
     *
     * @param builder has the values of the properties
     */
    void customize(UcxResourcesBuilder builder);
}

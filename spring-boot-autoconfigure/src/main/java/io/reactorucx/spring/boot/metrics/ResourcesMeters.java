package io.reactorucx.spring.boot.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactorucx.UcxResources;
import io.reactorucx.metrics.UcxMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Binds the meters of resources with their first use. A binder that is a bean would start them, and keep UCX from the
 * network devices of the first server or client. Where an application has several resources, the tag {@code resources}
 * has the name of the bean.
 *
 * <p><b>Threading:</b> that of the first use of the resources. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
final class ResourcesMeters implements BeanPostProcessor {

    private static final Logger LOG = LoggerFactory.getLogger(ResourcesMeters.class);
    private static final String TAG = "resources";

    private final ListableBeanFactory beans;
    private final ObjectProvider<MeterRegistry> registry;

    ResourcesMeters(ListableBeanFactory beans, ObjectProvider<MeterRegistry> registry) {
        this.beans = beans;
        this.registry = registry;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof UcxResources resources) {
            boolean several = beans.getBeanNamesForType(UcxResources.class, true, false).length > 1;
            Tags tags = several ? Tags.of(TAG, name) : Tags.empty();
            resources.onUse().subscribe(null, error -> LOG.warn("The meters of {} are not bound", name, error),
                    () -> registry.ifUnique(each -> new UcxMetrics(resources, tags).bindTo(each)));
        }
        return bean;
    }
}

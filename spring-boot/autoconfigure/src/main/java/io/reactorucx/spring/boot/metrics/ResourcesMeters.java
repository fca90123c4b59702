package io.reactorucx.spring.boot.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactorucx.UcxResources;
import io.reactorucx.metrics.UcxMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * Binds the meters of resources with their first use. A binder that is a bean would start them, and keep UCX from the
 * network devices of the first server or client. Where an application has several resources, the tag {@code resources}
 * has the name of the bean. The meters are unbound with the context, whose registry or resources may outlive it.
 *
 * <p><b>Threading:</b> that of the first use of the resources. <b>Ownership:</b> its bindings. <b>Errors:</b> logged.
 */
final class ResourcesMeters implements BeanPostProcessor, DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(ResourcesMeters.class);
    private static final String TAG = "resources";

    private final ListableBeanFactory beans;
    private final ObjectProvider<MeterRegistry> registry;
    private final Disposable.Composite bindings = Disposables.composite();

    ResourcesMeters(ListableBeanFactory beans, ObjectProvider<MeterRegistry> registry) {
        this.beans = beans;
        this.registry = registry;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof UcxResources resources) {
            boolean several = beans.getBeanNamesForType(UcxResources.class, true, false).length > 1;
            Tags tags = several ? Tags.of(TAG, name) : Tags.empty();
            // The first use of resources must not fail because of their meters.
            bindings.add(resources.onUse().then(Mono.fromRunnable(() -> bind(resources, tags)))
                    .subscribe(null, error -> LOG.warn("The meters of {} are not bound", name, error)));
        }
        return bean;
    }

    private void bind(UcxResources resources, Tags tags) {
        registry.ifUnique(each -> bindings.add(new UcxMetrics(resources, tags).bind(each)));
    }

    @Override
    public void destroy() {
        bindings.dispose();
    }
}

package io.reactorucx.spring.boot.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactorucx.netty.UcxNettyMetrics;
import io.reactorucx.netty.resources.UcxLoopResources;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Binds the meters of the application's loops, and unbinds them with the context.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> its bindings. <b>Errors:</b> those of the registry.
 */
final class LoopsMeters implements MeterBinder, DisposableBean {

    private final ObjectProvider<UcxLoopResources> loops;
    private final Disposable.Composite bindings = Disposables.composite();

    LoopsMeters(ObjectProvider<UcxLoopResources> loops) {
        this.loops = loops;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        loops.ifAvailable(each -> bindings.add(new UcxNettyMetrics(each.factory()).bind(registry)::run));
    }

    @Override
    public void destroy() {
        bindings.dispose();
    }
}

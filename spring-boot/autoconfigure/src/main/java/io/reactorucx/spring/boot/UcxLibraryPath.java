package io.reactorucx.spring.boot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Names the folder of UCX before a bean loads it. A process has one UCX: that of its first context with the property.
 *
 * <p><b>Threading:</b> that of the context. <b>Ownership:</b> it sets a system property. <b>Errors:</b> none; loading
 * fails where the folder has no UCX.
 */
final class UcxLibraryPath implements BeanFactoryPostProcessor {

    static final String PROPERTY = "reactor.ucx.library-path";
    static final String SYSTEM_PROPERTY = "io.reactorucx.library.path";

    private static final Logger LOG = LoggerFactory.getLogger(UcxLibraryPath.class);

    private final Environment environment;

    UcxLibraryPath(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        String folder = environment.getProperty(PROPERTY);
        if (folder == null || folder.isBlank()) {
            return;
        }
        String before = System.getProperty(SYSTEM_PROPERTY);
        if (before == null) {
            System.setProperty(SYSTEM_PROPERTY, folder);
        } else if (!before.equals(folder)) {
            LOG.warn("{}={} has no effect, because {} is {} in this process", PROPERTY, folder, SYSTEM_PROPERTY,
                    before);
        }
    }
}

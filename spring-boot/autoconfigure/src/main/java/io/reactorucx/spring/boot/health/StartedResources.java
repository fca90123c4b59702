package io.reactorucx.spring.boot.health;

import io.reactorucx.UcxResources;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The resources of the application that have started. To look at them starts none.
 *
 * @param beans of the application
 */
record StartedResources(ConfigurableListableBeanFactory beans) {

    /** Returns them by the names of their beans. */
    Map<String, UcxResources> all() {
        Map<String, UcxResources> found = new TreeMap<>();
        for (String name : beans.getBeanNamesForType(UcxResources.class, false, false)) {
            if (beans.containsSingleton(name) && beans.getSingleton(name) instanceof UcxResources resources) {
                found.put(name, resources);
            }
        }
        return found;
    }
}

package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Where the folder of UCX comes from. */
class LibraryPathTest {

    @Test
    void theEnvironmentSetsTheProperty() {
        StandardEnvironment environment = new StandardEnvironment();
        String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
        environment.getPropertySources().replace(name, new SystemEnvironmentPropertySource(name,
                Map.of("REACTOR_UCX_LIBRARY_PATH", "/opt/ucx/lib")));
        ConfigurationPropertySources.attach(environment);

        assertThat(environment.getProperty(UcxLibraryPath.PROPERTY)).isEqualTo("/opt/ucx/lib");
    }
}

package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.NullArguments;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Null, given to each public method of the settings and of what makes loops. */
@Tag("slow")
class NullArgumentsTest {

    @Test
    void eachIsNamed() {
        NullArguments calls = new NullArguments(returned -> returned)
                .with(UcxNettyConfig.class, UcxNettyConfig.DEFAULT)
                .call(Stream.of(UcxNettyConfig.class, UcxPlainTcpConfig.class, UcxIoHandler.class,
                        UcxIoHandlerFactory.class, UcxLoopResources.class, UcxNettyMetrics.class));

        assertThat(calls.wrong()).as("%s calls", calls.tried()).isEmpty();
        assertThat(calls.tried()).isGreaterThan(10);
    }
}

package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NullArguments;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Null, given to each public method of the transports. */
@Tag("slow")
class NullArgumentsTest {

    @Test
    void eachIsNamed() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        try (TestResources resources = new TestResources("")) {
            UcxServer server = UcxServer.create(resources.server());
            UcxClient client = UcxClient.create(resources.client()).remoteAddress(TestResources.HOST, 1);
            NullArguments calls = new NullArguments(returned -> returned)
                    .with(UcxResources.class, resources.client()).with(UcxServer.class, server)
                    .with(UcxClient.class, client).with(UcxServerTransport.class, UcxServerTransport.create(server))
                    .with(UcxClientTransport.class, UcxClientTransport.create(client))
                    .call(Stream.of(UcxServerTransport.class, UcxClientTransport.class, UcxBoundTransport.class,
                            UcxTransportStatistics.class));

            assertThat(calls.wrong()).as("%s calls", calls.tried()).isEmpty();
            assertThat(calls.tried()).isGreaterThan(5);
        }
    }
}

package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Operations whose feature the context lacks are refused by this library; UCX itself would not check. */
@ExtendWith(NoLeaks.class)
class FeatureRefusalTest {

    private UcpContext context;
    private UcpWorker worker;
    private UcpEndpoint endpoint;

    @BeforeEach
    void open() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        context = UcpContext.create(UcpConfig.builder().features(UcpFeature.AM).transports("self").build());
        worker = context.createWorker(UcpWorkerConfig.of("features"));
        endpoint = worker.connect(worker.address(),
                new EndpointOptions(ErrorMode.NONE, "itself", (failed, status) -> { }));
    }

    @AfterEach
    void close() {
        if (context != null) {
            Outcome closed = Outcome.of(done -> endpoint.close(CloseMode.FLUSH, done));
            Pair.until(worker::progress, closed::isDone, "the end of the close");
            worker.close();
            context.close();
        }
    }

    @Test
    void refusesStreams() {
        MemorySegment memory = Pair.pattern(8);
        assertRefused(() -> endpoint.stream().send(memory, null, BadInput.NEVER), "STREAM");
        assertRefused(() -> endpoint.stream().receive(UcpData.of(memory), false, BadInput.NEVER), "STREAM");
        assertRefused(() -> endpoint.stream().borrow(), "STREAM");
        assertRefused(() -> worker.streams().poll(), "STREAM");
    }

    @Test
    void refusesTags() {
        assertRefused(() -> worker.tags().probe(1, -1), "TAG");
        assertRefused(() -> worker.tags().take(1, -1), "TAG");
        assertRefused(() -> worker.tags().receive(UcpData.of(Pair.pattern(8)), 1, -1, Set.of(), BadInput.NEVER), "TAG");
        assertRefused(() -> endpoint.dataOperations().tagSend(UcpData.of(Pair.pattern(8)), 1, Set.of(), BadInput.NEVER),
                "TAG");
    }

    @Test
    void refusesKeysAndAtomics() {
        try (UcpMemory memory = context.allocate(8)) {
            assertRefused(memory::descriptor, "RMA");
            MemoryDescriptor descriptor = new MemoryDescriptor(memory.segment().address(), 8, new byte[9]);
            assertRefused(() -> endpoint.unpack(descriptor), "RMA");
        }
    }

    private static void assertRefused(Runnable call, String feature) {
        assertThatThrownBy(call::run).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("without the feature " + feature);
    }
}

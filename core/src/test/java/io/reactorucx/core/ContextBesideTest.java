package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Operations of a context that was made beside another one take memory that is registered with that one. */
@ExtendWith(NoLeaks.class)
class ContextBesideTest {

    private static final int BYTES = 1 << 20;

    @BeforeEach
    void requireUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    @Test
    void takesRegistrationsOfTheOtherContextAndOfNoThird() {
        UcpConfig config = UcpConfig.builder().transports("tcp", "self").netDevices("lo").build();
        EndpointOptions options = new EndpointOptions(ErrorMode.PEER, "peer", (endpoint, status) -> { });
        List<UcpActiveMessage> received = new ArrayList<>();
        try (UcpContext lender = UcpContext.create(UcpConfig.builder().transports("posix", "self").build());
                UcpContext third = UcpContext.create(UcpConfig.builder().transports("posix", "self").build());
                UcpMemory lent = lender.allocate(BYTES); UcpMemory target = lender.allocate(BYTES);
                UcpMemory foreign = third.allocate(BYTES);
                UcpContext beside = UcpContext.createBeside(config, lender);
                UcpWorker server = beside.createWorker(UcpWorkerConfig.of("server"));
                UcpWorker client = beside.createWorker(UcpWorkerConfig.of("client"))) {
            MemorySegment pattern = Pair.pattern(BYTES);
            lent.segment().copyFrom(pattern);
            Runnable step = () -> {
                server.progress();
                client.progress();
            };
            server.activeMessages().handler(Pair.ID, message -> received.add(message.keep()));
            UcpEndpoint forth = client.connect(server.address(), options);
            assertThatThrownBy(() -> forth.amSend(Pair.ID, Pair.EMPTY, foreign.segment(), foreign,
                    AmProtocol.RENDEZVOUS, false, (status, length, tag) -> { }))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("another one");
            Outcome sent = Outcome.of(done -> forth.amSend(Pair.ID, Pair.EMPTY, lent.segment(), lent,
                    AmProtocol.RENDEZVOUS, false, done));
            Pair.until(step, () -> !received.isEmpty(), "an offer");
            Outcome fetched = Outcome.of(done -> server.activeMessages().fetch(received.getFirst(), target.segment(),
                    target, done));
            // The registration keeps the memory in place until UCX is done with it.
            assertThatThrownBy(lent::close).isInstanceOf(IllegalStateException.class);
            Pair.until(step, () -> sent.isDone() && fetched.isDone(), "the data");
            assertThat(target.segment().mismatch(pattern)).isEqualTo(-1);
            Outcome closed = Outcome.of(done -> forth.close(CloseMode.FORCE, done));
            Pair.until(step, closed::isDone, "a closed endpoint");
        }
    }
}

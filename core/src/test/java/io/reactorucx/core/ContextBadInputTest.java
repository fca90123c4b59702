package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeaks.class)
class ContextBadInputTest {

    @BeforeEach
    void requireUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    private static UcpContext create() {
        return UcpContext.create(UcpConfig.builder().name("tested").transports("tcp").build());
    }

    @Test
    void refusesMissingArguments() {
        assertThatThrownBy(() -> UcpContext.create(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("config");
        try (UcpContext context = create()) {
            assertThatThrownBy(() -> context.createWorker(null)).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("workerConfig");
            assertThat(context.openWorkers()).isZero();
        }
    }

    /** UCX would end the process at the worker's first endpoint. */
    @Test
    void refusesWorkersThatCanSendNothing() {
        try (UcpContext context = UcpContext.create(UcpConfig.builder().name("mute").features(UcpFeature.WAKEUP)
                .build())) {
            assertThatThrownBy(() -> context.createWorker(UcpWorkerConfig.of("mute")))
                    .isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("made with the features [WAKEUP], by which nothing can be sent: add one of");
            assertThat(context.openWorkers()).isZero();
        }
    }

    /** UCX would end the process. */
    @Test
    void refusesWorkersThatHaveNoTransportForActiveMessages() {
        try (UcpContext all = UcpContext.create(UcpConfig.builder().build())) {
            assumeTrue(all.transports().stream().anyMatch(each -> each.startsWith("cma/")), "this host has no cma");
        }
        try (UcpContext context = UcpContext.create(UcpConfig.builder().name("copying").transports("cma").build())) {
            assertThatThrownBy(() -> context.createWorker(UcpWorkerConfig.of("mute")))
                    .isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("none of the transports [cma/memory] carries messages, add shm or tcp");
            assertThat(context.openWorkers()).isZero();
        }
    }

    @Test
    void refusesEveryUseAfterClose() {
        UcpContext context = create();
        int open = UcpContext.openContexts();
        context.close();
        context.close();
        assertThat(UcpContext.openContexts()).isEqualTo(open - 1);
        assertThat(context.isClosed()).isTrue();
        for (Runnable use : List.<Runnable>of(() -> context.createWorker(UcpWorkerConfig.of("late")),
                () -> context.allocate(10), () -> context.register(Arena.ofAuto().allocate(10)), context::info)) {
            assertThatThrownBy(use::run).isInstanceOf(UcxClosedException.class)
                    .hasMessageContaining("the context tested is closed");
        }
        assertThat(context.openWorkers()).isZero();
        assertThat(context.openRegistrations()).isZero();
    }

    @Test
    void refusesToCloseWithOpenWorker() {
        UcpContext context = create();
        try (UcpWorker worker = context.createWorker(UcpWorkerConfig.of("open"))) {
            assertThat(worker.isClosed()).isFalse();
            assertThatThrownBy(context::close).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("context tested")
                    .hasMessageContaining("1 workers");
        }
        context.close();
    }

    @Test
    void reportsTransportsThatDoNotExist() {
        assertThatThrownBy(() -> UcpContext.create(UcpConfig.builder().transports("no_such_transport").build()))
                .isInstanceOf(UcxException.class).hasMessageContaining("ucp_init");
    }

    @Test
    void describesContextWorkerAndEndpoint() {
        try (Pair pair = Pair.of(Link.TCP_PEER)) {
            assertThat(pair.context.info()).containsIgnoringCase("ucp context");
            assertThat(pair.server.info()).containsIgnoringCase("ucp worker");
            assertThat(pair.toServer.info()).contains("lane[");
        }
    }
}

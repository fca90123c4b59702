package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxClosedException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A close by force over tcp of an endpoint that is not wired up, or has not sent all that was posted. */
class EndpointCloseTest {

    private UcpContext context;
    private UcpWorker here;
    private UcpWorker there;

    @BeforeEach
    void open() {
        context = UcpContext.create(UcpConfig.builder().name("forced").transports("tcp").build());
        here = context.createWorker(UcpWorkerConfig.of("here"));
        there = context.createWorker(UcpWorkerConfig.of("there"));
    }

    @AfterEach
    void close() {
        if (here != null) {
            here.close();
            there.close();
            context.close();
        }
    }

    private UcpEndpoint connect() {
        return here.connect(there.address(), new EndpointOptions(ErrorMode.PEER, "there", (failed, status) -> { }));
    }

    private void step() {
        here.progress();
        there.progress();
    }

    private void until(AtomicBoolean condition, String what) {
        Pair.until(this::step, condition::get, what);
    }

    private AtomicBoolean closeByForce(UcpEndpoint endpoint) {
        AtomicBoolean closed = new AtomicBoolean();
        if (endpoint.close(CloseMode.FORCE, (status, length, tag) -> closed.set(true))) {
            closed.set(true);
        }
        return closed;
    }

    @Test
    void waitsUntilTheEndpointIsWiredUp() {
        UcpEndpoint endpoint = connect();
        endpoint.amSend(1, Pair.EMPTY, Pair.pattern(100), null, AmProtocol.EAGER, true, (status, length, tag) -> { });

        AtomicBoolean closed = closeByForce(endpoint);

        assertThat(closed).as("closed before its peer has made a step").isFalse();
        assertThat(here.parkedEndpoints().count()).isEqualTo(1);
        assertThat(endpoint.isClosed()).isTrue();
        assertThat(here.endpoints()).isEmpty();
        until(closed, "the close of an endpoint that is wired up");
        assertThat(here.parkedEndpoints().count()).isZero();
        Pair.until(this::step, () -> here.inFlight() == 0, "the end of the operations");
    }

    @Test
    void waitsUntilWhatWasPostedHasLeft() {
        UcpEndpoint endpoint = connect();
        AtomicBoolean flushed = new AtomicBoolean();
        endpoint.flush((status, length, tag) -> flushed.set(true));
        until(flushed, "an endpoint that is wired up");
        // More than the buffers of the sockets take.
        for (int i = 0; i < 4; i++) {
            endpoint.amSend(1, Pair.EMPTY, Pair.pattern(16 << 20), null, AmProtocol.EAGER, true,
                    (status, length, tag) -> { });
        }

        AtomicBoolean closed = closeByForce(endpoint);
        for (int i = 0; i < 1000; i++) {
            here.progress();
        }

        assertThat(closed).as("closed while its peer takes nothing").isFalse();
        assertThat(here.parkedEndpoints().count()).isEqualTo(1);
        assertThatThrownBy(() -> endpoint.flush((status, length, tag) -> { })).isInstanceOf(UcxClosedException.class);
        assertThatThrownBy(() -> endpoint.close(CloseMode.FORCE, (status, length, tag) -> { }))
                .isInstanceOf(UcxClosedException.class);
        assertThatThrownBy(here::close).isInstanceOf(IllegalStateException.class).hasMessageContaining("1 endpoints");
        until(closed, "the close of an endpoint that has sent all");
        Pair.until(this::step, () -> here.inFlight() == 0, "the end of the operations");
    }

    @Test
    void doesNotWaitForAPeerThatIsGone() {
        UcpEndpoint endpoint = connect();
        AtomicBoolean flushed = new AtomicBoolean();
        endpoint.flush((status, length, tag) -> flushed.set(true));
        until(flushed, "an endpoint that is wired up");
        endpoint.amSend(1, Pair.EMPTY, Pair.pattern(64 << 20), null, AmProtocol.EAGER, true,
                (status, length, tag) -> { });
        AtomicBoolean closed = closeByForce(endpoint);
        assertThat(closed).isFalse();

        there.close();

        Pair.until(here::progress, closed::get, "the close of an endpoint that has failed");
        Pair.until(here::progress, () -> here.inFlight() == 0, "the end of the operations");
        assertThat(here.parkedEndpoints().count()).isZero();
    }

    @Test
    void isCountedUntilItsOperationsAreCancelled() {
        UcpEndpoint endpoint = connect();
        AtomicBoolean flushed = new AtomicBoolean();
        endpoint.flush((status, length, tag) -> flushed.set(true));
        until(flushed, "an endpoint that is wired up");
        assertThatThrownBy(() -> here.parkedEndpoints().keep(endpoint)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("closed one");
        AtomicInteger result = new AtomicInteger(1);
        endpoint.amSend(1, Pair.EMPTY, Pair.pattern(1 << 20), null, AmProtocol.RENDEZVOUS, true,
                (status, length, tag) -> result.set(status));
        AtomicBoolean closed = closeByForce(endpoint);

        here.parkedEndpoints().keep(endpoint);

        assertThat(here.parkedEndpoints().count()).isPositive();
        assertThatThrownBy(() -> there.parkedEndpoints().keep(endpoint)).isInstanceOf(IllegalArgumentException.class);
        until(closed, "the close of the endpoint");
        Pair.until(this::step, () -> here.inFlight() == 0, "the end of the operations");
        assertThat(result.get()).as("the end of the message").isNegative();
        assertThat(here.parkedEndpoints().count()).isZero();
    }
}

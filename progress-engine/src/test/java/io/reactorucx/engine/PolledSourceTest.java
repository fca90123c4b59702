package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an engine polls beside its worker. */
class PolledSourceTest {

    private static final int BATCH = 64;

    private UcpContext context;
    private ProgressEngine engine;
    private int polls;
    private int work;
    private int posted;
    private int ended;

    @BeforeEach
    void open() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        context = UcpContext.create(UcpConfig.builder().transports("self").build());
        engine = new ProgressEngine(context, EngineConfig.of("polled"), 0, EngineObserver.NONE);
        engine.step(false, 0);
        engine.pollBeside(new PolledSource() {
            @Override
            public int poll() {
                polls++;
                for (int i = 0; i < work; i++) {
                    posted++;
                    engine.deliverLater(() -> ended++);
                }
                return work;
            }

            @Override
            public boolean park() {
                return true;
            }

            @Override
            public void unpark() {
            }

            @Override
            public void engineClosed() {
            }
        });
    }

    @AfterEach
    void close() {
        if (engine != null) {
            engine.closeAsync();
            for (int i = 0; i < 1000 && !engine.isClosed(); i++) {
                engine.step(false, 0);
            }
            assertThat(engine.isClosed()).isTrue();
            context.close();
        }
    }

    /** What is read posts operations, as an echo does. */
    @Test
    void readsNoFasterThanOperationsEnd() {
        work = BATCH;
        for (int i = 0; i < 1000; i++) {
            engine.step(false, 0);
            assertThat(posted - ended).isLessThanOrEqualTo(BATCH + ProgressEngine.DELIVERIES_PER_ROUND);
        }
        assertThat(ended).isGreaterThan(10 * BATCH);
    }

    @Test
    void isPolledSeveralTimesWhileItBringsSomething() {
        engine.step(false, 0);
        assertThat(polls).isOne();

        work = 1;
        engine.step(false, 0);
        work = 0;
        int before = polls;
        engine.step(false, 0);
        assertThat(polls - before).isGreaterThan(1);

        for (int i = 0; i < 1000; i++) {
            engine.step(false, 0);
        }
        before = polls;
        engine.step(false, 0);
        assertThat(polls - before).isOne();
    }
}

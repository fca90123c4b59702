package io.reactorucx.testsupport;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.Ucx;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;

class NoLeaksTest {

    /** Finds a leak, without a long wait for threads to end. */
    private final NoLeaks hasty = new NoLeaks(Duration.ofMillis(100), "reactor-ucx");
    private final NoLeaks patient = new NoLeaks("reactor-ucx");

    /** A class that only its name marks as the thread of an engine. */
    private static final class SomeEngineThread extends Thread {
        SomeEngineThread(Runnable body) {
            super(body, "an ordinary name");
        }
    }

    @Test
    void failsOnLeakedContext() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        hasty.begin();
        try (UcpContext leaked = UcpContext.create(UcpConfig.builder().name("leaked").transports("tcp").build())) {
            assertThatThrownBy(hasty::end).as("with %s open", leaked).isInstanceOf(ConditionTimeoutException.class)
                    .hasMessageContaining("open UCX contexts");
        }
    }

    @Test
    void passesWhenContextIsClosed() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        patient.begin();
        UcpContext.create(UcpConfig.builder().transports("tcp").build()).close();
        assertThatCode(patient::end).doesNotThrowAnyException();
    }

    @Test
    void failsOnThreadWithNameOfEngine() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        failsWhileAlive(new Thread(() -> awaitQuietly(end), "reactor-ucx-7"), end);
    }

    @Test
    void failsOnThreadWithClassOfEngine() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        failsWhileAlive(new SomeEngineThread(() -> awaitQuietly(end)), end);
    }

    @Test
    void ignoresThreadThatWasThereBefore() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread earlier = new Thread(() -> awaitQuietly(end), "reactor-ucx-8");
        earlier.start();
        try {
            patient.begin();
            assertThatCode(patient::end).doesNotThrowAnyException();
        } finally {
            end.countDown();
            earlier.join();
        }
    }

    private void failsWhileAlive(Thread thread, CountDownLatch end) throws InterruptedException {
        hasty.begin();
        thread.start();
        try {
            assertThatThrownBy(hasty::end).isInstanceOf(ConditionTimeoutException.class)
                    .hasMessageContaining("threads of engines");
        } finally {
            end.countDown();
            thread.join();
        }
        patient.begin();
        assertThatCode(patient::end).doesNotThrowAnyException();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

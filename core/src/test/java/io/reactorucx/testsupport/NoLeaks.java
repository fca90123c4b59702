package io.reactorucx.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.UcpContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class that leaves a UCX context or an engine's thread behind.
 *
 * <p>A context refuses to close while it has an open worker or registration, and a worker while it has an open
 * endpoint, listener or operation; an abandoned worker stays counted. So the number of open contexts covers all of
 * them.
 */
public final class NoLeaks implements BeforeAllCallback, AfterAllCallback {

    private static final Duration TIMEOUT = TestTime.seconds(10);
    private static final String ENGINE_CLASS_SUFFIX = "EngineThread";

    private final List<String> threadNamePrefixes;
    private final Duration timeout;
    private final Deque<Snapshot> snapshots = new ArrayDeque<>();

    private record Snapshot(int contexts, Set<Thread> engineThreads) {
    }

    /** Looks at threads whose name starts with {@code reactor-ucx}, or whose class is an engine's. */
    public NoLeaks() {
        this("reactor-ucx");
    }

    /**
     * Looks at threads with other names.
     *
     * @param threadNamePrefixes how the names of engines' threads start
     */
    public NoLeaks(String... threadNamePrefixes) {
        this(TIMEOUT, threadNamePrefixes);
    }

    NoLeaks(Duration timeout, String... threadNamePrefixes) {
        this.timeout = timeout;
        this.threadNamePrefixes = List.of(threadNamePrefixes);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        begin();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        end();
    }

    void begin() {
        snapshots.push(new Snapshot(UcpContext.openContexts(), engineThreads()));
    }

    void end() {
        Snapshot before = snapshots.pop();
        await().atMost(timeout).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).pollInSameThread()
                .untilAsserted(() -> {
                    assertThat(UcpContext.openContexts()).as("open UCX contexts").isEqualTo(before.contexts);
                    assertThat(engineThreads()).as("threads of engines").isSubsetOf(before.engineThreads);
                });
    }

    private Set<Thread> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(Thread::isAlive).filter(this::isEngine)
                .collect(Collectors.toUnmodifiableSet());
    }

    private boolean isEngine(Thread thread) {
        return thread.getClass().getName().endsWith(ENGINE_CLASS_SUFFIX)
                || threadNamePrefixes.stream().anyMatch(thread.getName()::startsWith);
    }
}

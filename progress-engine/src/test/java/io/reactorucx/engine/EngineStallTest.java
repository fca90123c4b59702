package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the stack of an engine's thread says of a stall. */
class EngineStallTest {

    private static final String[] ENGINE = {"io.reactorucx.core.UcpWorker.progress",
        "io.reactorucx.engine.ProgressEngine.step", "org.agrona.concurrent.AgentRunner.run", "java.lang.Thread.run"};

    private static EngineStall stall(String... frames) {
        return EngineStall.of(Stream.concat(Stream.of(frames), Stream.of(ENGINE)).map(frame -> {
            int dot = frame.lastIndexOf('.');
            return new StackTraceElement(frame.substring(0, dot), frame.substring(dot + 1), null, 1);
        }).toArray(StackTraceElement[]::new), Duration.ofSeconds(1));
    }

    @Test
    void handlerIsTheFirstMethodOfTheApplicationAndTheOperationItsCaller() {
        EngineStall stall = stall("java.lang.Thread.sleep", "com.example.Store.query", "com.example.Handler.answer",
                "reactor.core.publisher.MonoDefer.subscribe", "io.reactorucx.internal.request.RequestReply.subscribeTo",
                "io.reactorucx.internal.message.MessageMultiplexer.received");

        assertThat(stall.handler()).isEqualTo("com.example.Handler.answer");
        assertThat(stall.operation()).isEqualTo("request");
        assertThat(stall.name()).isEqualTo("request com.example.Handler.answer");
    }

    @Test
    void callerInTheApiIsAHandlers() {
        assertThat(stall("com.example.Server.handle", "io.reactorucx.ServerConfig.serve",
                "io.reactorucx.internal.connect.ServerConnections.run").name())
                .isEqualTo("handler com.example.Server.handle");
    }

    @Test
    void withoutAnApplicationTheLibraryItselfIsNamed() {
        EngineStall stall = stall("java.lang.Object.wait", "io.reactorucx.internal.buffer.BufferPool.acquire");

        assertThat(stall.name()).isEqualTo("buffer io.reactorucx.internal.buffer.BufferPool.acquire");
    }

    @Test
    void loopThatStepsAnEngineIsNoHandler() {
        EngineStall stall = EngineStall.of(new StackTraceElement[] {
            new StackTraceElement("io.reactorucx.engine.ProgressEngine", "step", null, 1),
            new StackTraceElement("com.example.Loop", "run", null, 1)}, Duration.ZERO);

        assertThat(stall.name()).isEqualTo("engine io.reactorucx.engine.ProgressEngine.step");
    }

    @Test
    void threadOutsideOfTheLibraryIsUnknown() {
        assertThat(EngineStall.of(new StackTraceElement[0], Duration.ZERO).name()).isEqualTo("unknown unknown");
        assertThat(EngineStall.of(new StackTraceElement[] {new StackTraceElement("com.example.Loop", "run", null, 1)},
                Duration.ZERO).name()).isEqualTo("unknown unknown");
    }
}

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
                "io.reactorucx.internal.message.MessageProtocol.received");

        assertThat(stall.handler()).isEqualTo("com.example.Handler.answer");
        assertThat(stall.operation()).isEqualTo("request");
        assertThat(stall.name()).isEqualTo("request com.example.Handler.answer");
    }

    @Test
    void callerInTheApiIsAHandlers() {
        assertThat(stall("com.example.Server.handle", "io.reactorucx.ServerConfig.serve",
                "io.reactorucx.transport.connect.ServerConnections.run").name())
                .isEqualTo("handler com.example.Server.handle");
    }

    @Test
    void withoutAnApplicationTheEngineIsNamed() {
        EngineStall stall = stall("java.lang.Object.wait", "io.reactorucx.transport.buffer.BufferPool.acquire");

        assertThat(stall.handler()).isEqualTo("engine");
        assertThat(stall.operation()).isEqualTo("engine");
        assertThat(stall.name()).isEqualTo("engine");
        assertThat(stall("java.lang.invoke.LambdaForm$MH.invoke",
                "io.reactorucx.core.ffi.ucp_h$ucp_worker_progress.call",
                "io.reactorucx.core.NativeWorker.progress").name()).isEqualTo("engine");
    }

    @Test
    void callThroughTheGuardOfTheApplicationIsThatOfItsCaller() {
        assertThat(stall("com.example.Handler.answer", "reactor.core.publisher.FluxMap.onNext",
                "io.reactorucx.internal.concurrent.ApplicationPublisher.subscribe",
                "io.reactorucx.internal.request.ResponderDispatcher.opened").name())
                .isEqualTo("request com.example.Handler.answer");
    }

    @Test
    void frameworkIsNamedOnlyWhereItCalledNoApplication() {
        assertThat(stall("com.example.Controller.quote", "org.springframework.messaging.Invocation.invoke",
                "io.rsocket.core.RSocketResponder.handle",
                "io.reactorucx.internal.message.receive.InboundStream.deliver").name())
                .isEqualTo("message com.example.Controller.quote");
        assertThat(stall("java.lang.Thread.sleep", "org.springframework.messaging.Invocation.invoke",
                "io.reactorucx.internal.message.receive.InboundStream.deliver").name())
                .isEqualTo("message org.springframework.messaging.Invocation.invoke");
    }

    @Test
    void sleepOfTheEngineIsARestUnlessItCallsTheApplication() {
        assertThat(stall("io.reactorucx.core.ffi.poll_h.poll", "io.reactorucx.core.UcpWorker.await",
                "io.reactorucx.engine.EngineSleep.await").isWithin(EngineSleep.class)).isTrue();
        assertThat(stall("com.example.Handler.answer", "io.reactorucx.internal.message.receive.InboundStream.deliver",
                "io.reactorucx.engine.EngineSleep.await").isWithin(EngineSleep.class)).isFalse();
        assertThat(stall("io.reactorucx.core.UcpWorker.flush").isWithin(EngineSleep.class)).isFalse();
    }

    @Test
    void loopThatStepsAnEngineIsNoHandler() {
        EngineStall stall = EngineStall.of(new StackTraceElement[] {
            new StackTraceElement("io.reactorucx.engine.ProgressEngine", "step", null, 1),
            new StackTraceElement("com.example.Loop", "run", null, 1)}, Duration.ZERO);

        assertThat(stall.name()).isEqualTo("engine");
    }

    @Test
    void threadOutsideOfTheLibraryIsUnknown() {
        assertThat(EngineStall.of(new StackTraceElement[0], Duration.ZERO).name()).isEqualTo("unknown unknown");
        assertThat(EngineStall.of(new StackTraceElement[] {new StackTraceElement("com.example.Loop", "run", null, 1)},
                Duration.ZERO).name()).isEqualTo("unknown unknown");
    }
}

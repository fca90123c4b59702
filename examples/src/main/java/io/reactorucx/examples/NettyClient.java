package io.reactorucx.examples;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.Connection;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;

/** Measures echoes and GETs, each of them one after the other, over the channels of some loops. */
final class NettyClient implements AutoCloseable {

    /** Bytes of an echo. */
    static final int ECHO_BYTES = 8;

    private static final String HOST = "127.0.0.1";
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final LoopResources loops;
    private final Connection echo;
    private final ConnectionProvider provider = ConnectionProvider.create("netty", 1);
    private final AtomicInteger left = new AtomicInteger();
    private final byte[] request = new byte[ECHO_BYTES];
    private volatile @Nullable MonoSink<Integer> waiting;

    NettyClient(LoopResources loops, int echoPort) {
        this.loops = loops;
        echo = TcpClient.create().host(HOST).port(echoPort).runOn(loops).connectNow();
        echo.inbound().receive().subscribe(this::replied, this::failed,
                () -> failed(new DemoFailure("the server has closed the echo's connection")));
    }

    /** {@return the type of the channel} */
    String channel() {
        return echo.channel().getClass().getSimpleName();
    }

    /** Measures echoes for some time; the first fifth is not recorded. Returns times in ns. */
    Histogram echoes(Duration time) {
        return measure(Mono.create(sink -> {
            waiting = sink;
            left.set(ECHO_BYTES);
            echo.outbound().sendByteArray(Mono.just(request)).then().subscribe(ignored -> { }, sink::error);
        }), time);
    }

    private void replied(ByteBuf bytes) {
        MonoSink<Integer> sink = waiting;
        if (left.addAndGet(-bytes.readableBytes()) == 0 && sink != null) {
            waiting = null;
            sink.success(ECHO_BYTES);
        }
    }

    private void failed(Throwable error) {
        MonoSink<Integer> sink = waiting;
        if (sink != null) {
            waiting = null;
            sink.error(error);
        }
    }

    /** Measures GETs for some time; the first fifth is not recorded. Returns times in ns. */
    Histogram gets(int port, Duration time) {
        HttpClient client = HttpClient.create(provider).host(HOST).port(port).runOn(loops);
        return measure(client.get().uri(NettyServer.PATH).responseContent().aggregate().asString().map(text -> {
            if (!text.equals(NettyServer.GREETING)) {
                throw new DemoFailure("the server answered '" + text + "'");
            }
            return text.length();
        }), time);
    }

    private static Histogram measure(Mono<Integer> once, Duration time) {
        Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);
        repeated(once, time.dividedBy(5)).then().block(LIMIT.plus(time));
        repeated(once, time).doOnNext(nanos::recordValue).then().block(LIMIT.plus(time));
        return nanos;
    }

    private static Flux<Long> repeated(Mono<Integer> once, Duration time) {
        return Flux.defer(() -> {
            long start = System.nanoTime();
            return Mono.defer(() -> {
                long begun = System.nanoTime();
                return once.map(ignored -> System.nanoTime() - begun);
            }).repeat(() -> System.nanoTime() - start < time.toNanos());
        });
    }

    @Override
    public void close() {
        provider.disposeLater().block(LIMIT);
        echo.disposeNow();
    }
}

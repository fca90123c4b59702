package io.reactorucx.spring.boot.discovery;

import static io.reactorucx.spring.boot.discovery.UcxInstanceTest.instance;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.loadbalancer.CompletionContext;
import org.springframework.cloud.client.loadbalancer.DefaultRequest;
import org.springframework.cloud.client.loadbalancer.DefaultResponse;
import org.springframework.cloud.client.loadbalancer.EmptyResponse;

class UcxHttpPeersTest {

    private static final Duration RETRY = Duration.ofSeconds(30);
    private static final int PORT = 8080;
    private static final ServiceInstance OVER_UCX = instance("a", PORT, Map.of("ucx.http", "true"));

    private final AtomicLong nanoTime = new AtomicLong();
    private final UcxHttpPeers peers = new UcxHttpPeers(RETRY, 2, nanoTime::get);
    private final UcxHttpPeersLifecycle lifecycle = new UcxHttpPeersLifecycle(peers);
    private final DefaultRequest<Object> request = new DefaultRequest<>();

    private boolean plain(int port) {
        return peers.test(new InetSocketAddress("127.0.0.1", port));
    }

    private void choose(ServiceInstance instance) {
        lifecycle.onStart(request);
        lifecycle.onStartRequest(request, new DefaultResponse(instance));
    }

    private void fail(Throwable failure) {
        lifecycle.onComplete(new CompletionContext<>(CompletionContext.Status.FAILED, failure, request,
                new DefaultResponse(OVER_UCX)));
    }

    @Test
    void onlyAnInstanceThatSaysSoIsCalledOverUcx() {
        assertThat(plain(PORT)).as("not known").isTrue();
        choose(OVER_UCX);
        choose(instance("b", 81, Map.of()));
        assertThat(plain(PORT)).isFalse();
        assertThat(plain(81)).isTrue();
        choose(instance("c", PORT, Map.of()));
        assertThat(plain(PORT)).as("another instance at the same address").isTrue();
    }

    @Test
    void wrongMetadataMeanPlainTcp() {
        choose(instance("a", PORT, Map.of("ucx.http", "true", "ucx.port", "-1")));
        assertThat(plain(PORT)).isTrue();
    }

    @Test
    void aFailedChannelMeansPlainTcpForSomeTime() {
        choose(OVER_UCX);
        fail(new IllegalStateException(new IOException("the peer has not opened the channel in time")));
        assertThat(plain(PORT)).isTrue();
        nanoTime.set(RETRY.toNanos() - 1);
        choose(OVER_UCX);
        assertThat(plain(PORT)).isTrue();
        nanoTime.set(RETRY.toNanos());
        choose(OVER_UCX);
        assertThat(plain(PORT)).isFalse();
    }

    @Test
    void otherFailuresSayNothingAboutUcx() {
        choose(OVER_UCX);
        fail(new IllegalStateException(new ConnectException("refused")));
        fail(new IllegalStateException("of the application"));
        lifecycle.onComplete(new CompletionContext<>(CompletionContext.Status.SUCCESS, request,
                new DefaultResponse(OVER_UCX)));
        lifecycle.onComplete(new CompletionContext<>(CompletionContext.Status.DISCARD, request, new EmptyResponse()));
        assertThat(plain(PORT)).isFalse();
    }

    @Test
    void theAddressesThatWereUsedLastAreRemembered() {
        choose(instance("a", 1, Map.of("ucx.http", "true")));
        choose(instance("b", 2, Map.of("ucx.http", "true")));
        assertThat(plain(1)).isFalse();
        choose(instance("c", 3, Map.of("ucx.http", "true")));
        assertThat(plain(1)).isFalse();
        assertThat(plain(2)).isTrue();
        assertThat(plain(3)).isFalse();
    }
}

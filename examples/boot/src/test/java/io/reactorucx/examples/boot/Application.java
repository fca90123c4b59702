package io.reactorucx.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.reactivestreams.Publisher;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer;
import org.springframework.boot.http.client.reactive.ReactorClientHttpConnectorBuilder;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.webclient.autoconfigure.WebClientSsl;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.socket.client.ReactorNettyWebSocketClient;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.SslProvider.GenericSslContextSpec;

/** The application in this process with clients of the same context, and what their channels are. */
final class Application implements AutoCloseable {

    /** A limit for anything that a test awaits. */
    static final Duration LIMIT = TestTime.seconds(30);

    private static final String BUNDLE = "example";
    private static final String BUNDLE_PROPERTY = "--spring.ssl.bundle.jks." + BUNDLE + ".";
    private static final String PROTOCOL = "test.protocol";

    private final ConfigurableApplicationContext context;
    private final Transport transport;
    private final Protocol protocol;
    private final LoopResources loops;

    private Application(ConfigurableApplicationContext context, Transport transport, Protocol protocol) {
        this.context = context;
        this.transport = transport;
        this.protocol = protocol;
        this.loops = context.getBean(ReactorResourceFactory.class).getLoopResources();
    }

    /** Starts the application with a server. */
    static Application start(Transport transport, Protocol protocol, Path keys) {
        List<String> arguments = new ArrayList<>(List.of("--server.port=0",
                "--example.ucx=" + (transport == Transport.UCX), "--server.http2.enabled=" + protocol.http2()));
        if (protocol.tls()) {
            arguments.addAll(List.of("--server.ssl.bundle=" + BUNDLE, BUNDLE_PROPERTY + "keystore.location=" + keys,
                    BUNDLE_PROPERTY + "keystore.password=" + Certificate.PASSWORD,
                    BUNDLE_PROPERTY + "truststore.location=" + keys,
                    BUNDLE_PROPERTY + "truststore.password=" + Certificate.PASSWORD));
        }
        return new Application(new SpringApplicationBuilder(BootExample.class, Observation.class)
                .properties(PROTOCOL + "=" + protocol).run(arguments.toArray(String[]::new)), transport, protocol);
    }

    /** Starts clients alone. */
    static Application clients(Transport transport) {
        return new Application(new SpringApplicationBuilder(BootExample.class, Observation.class)
                .web(WebApplicationType.NONE).properties(PROTOCOL + "=" + Protocol.HTTP_1_1)
                .run("--example.ucx=" + (transport == Transport.UCX)), transport, Protocol.HTTP_1_1);
    }

    /**
     * Looks at connections and streams. It changes nothing of the transport, and has no annotation, so that the
     * application of the second process, which scans the same packages, does not find it.
     */
    static class Observation {

        @Bean
        Seen seen() {
            return new Seen(ConcurrentHashMap.newKeySet(), ConcurrentHashMap.newKeySet(), new AtomicInteger());
        }

        @Bean
        NettyServerCustomizer seeConnectionsOfServer(Seen seen) {
            return server -> server.doOnConnection(connection -> seen.server().add(socket(connection.channel())));
        }

        @Bean
        ClientHttpConnectorBuilderCustomizer<ReactorClientHttpConnectorBuilder> seeConnectionsOfClient(Seen seen,
                Environment environment, SslBundles bundles) {
            Protocol protocol = Protocol.valueOf(environment.getRequiredProperty(PROTOCOL));
            return builder -> builder.withHttpClientCustomizer(client -> withAlpn(client, protocol, bundles)
                    .protocol(protocol.client())
                    .doOnConnected(connection -> seen.client().add(socket(connection.channel()))));
        }

        /** Spring Boot configures its clients without ALPN, so that they would never agree on HTTP/2 over TLS. */
        private static HttpClient withAlpn(HttpClient client, Protocol protocol, SslBundles bundles) {
            return protocol.client() != HttpProtocol.H2 ? client : client.secure(tls -> tls.sslContext(
                    trusting(Http2SslContextSpec.forClient(), bundles)));
        }

        @Bean
        WebFilter seeStreams(Seen seen) {
            return (exchange, chain) -> chain.filter(exchange.mutate()
                    .response(new ServerHttpResponseDecorator(exchange.getResponse()) {
                        @Override
                        public Mono<Void> writeAndFlushWith(
                                Publisher<? extends Publisher<? extends DataBuffer>> body) {
                            return super.writeAndFlushWith(Flux.from(body)
                                    .doOnSubscribe(ignored -> seen.streams().incrementAndGet())
                                    .doFinally(ignored -> seen.streams().decrementAndGet()));
                        }
                    }).build());
        }
    }

    /**
     * What was seen.
     *
     * @param server channels of the server
     * @param client channels of the clients
     * @param streams bodies that the server is streaming now
     */
    record Seen(Set<Channel> server, Set<Channel> client, AtomicInteger streams) {
    }

    private static GenericSslContextSpec<SslContextBuilder> trusting(GenericSslContextSpec<SslContextBuilder> client,
            SslBundles bundles) {
        return client.configure(builder -> builder.trustManager(
                bundles.getBundle(BUNDLE).getManagers().getTrustManagerFactory()));
    }

    private static Channel socket(Channel channel) {
        return channel instanceof Http2StreamChannel ? socket(channel.parent()) : channel;
    }

    Seen seen() {
        return context.getBean(Seen.class);
    }

    int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    WebClient webClient(int port) {
        WebClient.Builder builder = context.getBean(WebClient.Builder.class)
                .baseUrl((protocol.tls() ? "https" : "http") + "://127.0.0.1:" + port);
        if (protocol.tls()) {
            builder.apply(context.getBean(WebClientSsl.class).fromBundle(BUNDLE));
        }
        return builder.build();
    }

    WebClient webClient() {
        return webClient(port());
    }

    ReactorNettyWebSocketClient webSocketClient() {
        ReactorResourceFactory resources = context.getBean(ReactorResourceFactory.class);
        HttpClient client = HttpClient.create(resources.getConnectionProvider()).runOn(loops)
                .doOnConnected(connection -> seen().client().add(connection.channel()));
        return new ReactorNettyWebSocketClient(!protocol.tls() ? client : client.secure(tls -> tls.sslContext(
                trusting(Http11SslContextSpec.forClient(), context.getBean(SslBundles.class)))));
    }

    String webSocketUrl() {
        return (protocol.tls() ? "wss" : "ws") + "://127.0.0.1:" + port() + "/socket";
    }

    LoopResources loops() {
        return loops;
    }

    /** {@return bytes that the loops of UCX have sent; 0 where the application has none} */
    long sentOverUcx() {
        return loops instanceof UcxLoopResources ucx
                ? ucx.factory().statistics().stream().mapToLong(UcxLoopStatistics::sentBytes).sum() : 0;
    }

    /** {@return bytes that the loops of UCX have received; 0 where the application has none} */
    long receivedOverUcx() {
        return loops instanceof UcxLoopResources ucx
                ? ucx.factory().statistics().stream().mapToLong(UcxLoopStatistics::receivedBytes).sum() : 0;
    }

    /** Over UCX all connections are channels of UCX and at least these bytes have gone over them; otherwise none. */
    void assertTransport(long leastBytes, boolean withServer) {
        Set<Class<?>> expected = Set.of(transport.channel());
        assertThat(types(seen().client())).isEqualTo(expected);
        assertThat(types(seen().server())).isEqualTo(withServer ? expected : Set.of());
        if (transport == Transport.UCX) {
            // A loop counts after its bytes have gone.
            await().atMost(LIMIT).untilAsserted(() -> assertThat(sentOverUcx()).isGreaterThanOrEqualTo(leastBytes));
            assertThat(receivedOverUcx()).isGreaterThanOrEqualTo(leastBytes);
        } else {
            assertThat(loops).isNotInstanceOf(UcxLoopResources.class);
        }
    }

    private static Set<Class<?>> types(Set<Channel> channels) {
        return channels.stream().map(Channel::getClass).collect(Collectors.toSet());
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    @Override
    public void close() {
        if (context.isActive()) {
            context.getBean(ReactorResourceFactory.class).setShutdownQuietPeriod(Duration.ZERO);
            context.close();
        }
        assertThat(loops.isDisposed()).as("the context has disposed of the loops").isTrue();
    }
}

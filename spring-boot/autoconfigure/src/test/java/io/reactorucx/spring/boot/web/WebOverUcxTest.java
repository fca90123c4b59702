package io.reactorucx.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.reactive.function.client.WebClient;

/** One property puts the server, the clients, or both on UCX; the loops count the bytes. */
@Tag("slow")
class WebOverUcxTest {

    private static final Duration LIMIT = TestTime.seconds(30);
    private static final String PASSWORD = "password";
    private static final String SERVER = "reactor.ucx.web.server.enabled=true";
    private static final String CLIENT = "reactor.ucx.web.client.enabled=true";

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothOverUcx(boolean virtualThreads) {
        try (ConfigurableApplicationContext context = WebApplication.start(SERVER, CLIENT,
                "spring.threads.virtual.enabled=" + virtualThreads,
                "spring.http.serviceclient.greetings.base-url=http://127.0.0.1:1")) {
            WebClient client = WebApplication.client(context, WebApplication.url(context));

            assertThat(client.get().uri("/greetings/Anna").retrieve().bodyToMono(String.class).block(LIMIT))
                    .isEqualTo("Hello Anna");
            assertThat(client.get().uri("/virtual").retrieve().bodyToMono(Boolean.class).block(LIMIT))
                    .isEqualTo(virtualThreads);
            assertThat(WebApplication.receivedOverUcx(context)).isGreaterThan(100);
        }
    }

    /** TLS is that of Spring Boot, for the server and for the clients. */
    @Test
    void tlsByBundles(@TempDir Path folder) throws IOException, InterruptedException {
        Path keys = keys(folder);
        String bundle = "spring.ssl.bundle.jks.web.";
        try (ConfigurableApplicationContext context = WebApplication.start(SERVER, CLIENT, "server.ssl.bundle=web",
                "spring.http.clients.ssl.bundle=web", bundle + "keystore.location=" + keys,
                bundle + "keystore.password=" + PASSWORD, bundle + "truststore.location=" + keys,
                bundle + "truststore.password=" + PASSWORD)) {
            String url = WebApplication.url(context).replace("http:", "https:");

            assertThat(WebApplication.client(context, url).get().uri("/greetings/Anna").retrieve()
                    .bodyToMono(String.class).block(LIMIT)).isEqualTo("Hello Anna");
            assertThat(WebApplication.receivedOverUcx(context)).isGreaterThan(500);
        }
    }

    private static Path keys(Path folder) throws IOException, InterruptedException {
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=localhost", "-ext",
                "san=ip:127.0.0.1", "-validity", "1", "-storetype", "PKCS12", "-keystore", store.toString(),
                "-storepass", PASSWORD).redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile())
                .start();
        assertThat(keytool.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        return store;
    }

    @Test
    void httpServiceClientsGoOverUcx() {
        try (ConfigurableApplicationContext server = WebApplication.start(SERVER);
                ConfigurableApplicationContext client = WebApplication.start(CLIENT,
                        "spring.http.serviceclient.greetings.base-url=" + WebApplication.url(server))) {
            assertThat(client.getBean(WebApplication.Greetings.class).greeting("Berta").block(LIMIT))
                    .isEqualTo("Hello Berta");
            assertThat(WebApplication.receivedOverUcx(client)).isPositive();
            assertThat(WebApplication.receivedOverUcx(server)).isPositive();
        }
    }

    /** The server of an application whose clients alone run over UCX is one of the kernel's TCP. */
    @Test
    void theServerIsApartFromTheClients() throws IOException, InterruptedException {
        try (ConfigurableApplicationContext context = WebApplication.start(CLIENT,
                "reactor.ucx.netty.handshake-timeout=500ms"); HttpClient plain = HttpClient.newHttpClient()) {
            assertThat(get(plain, context)).isEqualTo("Hello Carl");
            WebClient client = WebApplication.client(context, WebApplication.url(context));
            // A server of HTTP refuses the bytes of UCX, or waits for more of them.
            assertThatThrownBy(() -> client.get().uri("/greetings/Carl").retrieve().bodyToMono(String.class)
                    .block(LIMIT)).rootCause().message().containsAnyOf("the peer is no loop of UCX",
                            "the peer has not opened the channel in time");
        }
    }

    /** The clients of an application whose server alone runs over UCX are those of the kernel's TCP. */
    @Test
    void clientsAreApartFromTheServer() throws IOException, InterruptedException {
        try (ConfigurableApplicationContext context = WebApplication.start(SERVER,
                "reactor.ucx.netty.plain-tcp.accepted=true"); HttpClient plain = HttpClient.newHttpClient()) {
            assertThat(get(plain, context)).isEqualTo("Hello Carl");
            assertThat(WebApplication.client(context, WebApplication.url(context)).get().uri("/greetings/Carl")
                    .retrieve().bodyToMono(String.class).block(LIMIT)).isEqualTo("Hello Carl");
            assertThat(WebApplication.receivedOverUcx(context)).isZero();
        }
    }

    private static String get(HttpClient client, ConfigurableApplicationContext context) throws IOException,
            InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create(WebApplication.url(context) + "/greetings/Carl")).build(),
                BodyHandlers.ofString()).body();
    }

    /** Probes know nothing of UCX. */
    @Test
    void aManagementPortOfItsOwnStaysWithTcp() throws IOException, InterruptedException {
        try (ConfigurableApplicationContext context = WebApplication.start(SERVER, "management.server.port=0",
                "management.server.address=127.0.0.1", "management.endpoint.health.show-details=always");
                HttpClient probe = HttpClient.newHttpClient()) {
            URI health = URI.create("http://127.0.0.1:"
                    + context.getEnvironment().getRequiredProperty("local.management.port") + "/actuator/health");
            String answer = probe.send(HttpRequest.newBuilder(health).build(), BodyHandlers.ofString()).body();

            assertThat(answer).contains("\"status\":\"UP\"").contains("\"ucx\"").contains("plainChannels")
                    .contains("not started");
        }
    }

    @Test
    void theContextEndsItsLoops() {
        UcxLoopResources loops;
        try (ConfigurableApplicationContext context = WebApplication.start(SERVER)) {
            loops = context.getBean(UcxLoopResources.class);
            assertThat(loops.isDisposed()).isFalse();
        }
        assertThat(loops.isDisposed()).isTrue();
    }

    @Test
    void requestsEndBeforeTheLoops() {
        try (ConfigurableApplicationContext clients = WebApplication.start(CLIENT);
                ConfigurableApplicationContext server = WebApplication.start(SERVER)) {
            UcxLoopResources loops = server.getBean(UcxLoopResources.class);
            WebApplication.GreetingController controller = server.getBean(WebApplication.GreetingController.class);
            WebClient client = WebApplication.client(clients, WebApplication.url(server));
            int port = server.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
            List<CompletableFuture<String>> held = IntStream.range(0, 20).mapToObj(number -> client.get()
                    .uri("/held").retrieve().bodyToMono(String.class).toFuture()).toList();
            await().atMost(LIMIT).until(() -> controller.heldSink().currentSubscriberCount() == held.size());

            CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close,
                    task -> Thread.ofPlatform().daemon().start(task));
            await().atMost(LIMIT).until(() -> refusesConnections(port));
            assertThat(closed).isNotDone();
            assertThat(loops.isDisposed()).isFalse();
            controller.heldSink().tryEmitValue("late").orThrow();

            assertThat(held).allSatisfy(each ->
                    assertThat(each.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo("late"));
            closed.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
            assertThat(loops.isDisposed()).isTrue();
        }
    }

    private static boolean refusesConnections(int port) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return !socket.isConnected();
        } catch (ConnectException e) {
            return true;
        }
    }

    @Test
    void aPortInUseIsReportedAsSuch() {
        try (ConfigurableApplicationContext context = WebApplication.start(SERVER)) {
            String port = context.getEnvironment().getRequiredProperty("local.server.port");
            assertThatThrownBy(() -> WebApplication.start(SERVER, "server.port=" + port).close())
                    .hasStackTraceContaining("Port " + port + " is already in use");
        }
    }
}

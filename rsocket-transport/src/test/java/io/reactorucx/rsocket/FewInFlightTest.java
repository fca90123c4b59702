package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.util.DefaultPayload;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** Engines of both sides that may have few operations in flight, while both send what the other one has to fetch. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}, maxInFlight {1}")
@CsvSource({"posix, 1", "posix, 8", "tcp, 1", "tcp, 8"})
class FewInFlightTest {

    private static final int COUNT = 300;
    private static final int CONCURRENCY = 64;
    private static final int CHANNELS = 8;
    /** Of each channel, so that fewer bytes wait than {@code maxQueuedBytes}. */
    private static final int WINDOW = 16;
    /** More than UCX sends without an offer, over each transport. */
    private static final int LARGE = 100_000;

    @Parameter(0)
    private String transport;
    @Parameter(1)
    private int maxInFlight;

    private UcxResources server;
    private UcxResources client;
    private TestService service;
    private RSocket socket;

    private UcxResources resources() {
        EngineConfig few = EngineConfig.of("few").withLimits(EngineConfig.DEFAULT_COMMAND_QUEUE_CAPACITY, maxInFlight);
        return UcxResources.builder().transports(transport).engineConfig(few).build();
    }

    @BeforeEach
    void connect() {
        server = resources();
        client = resources();
        service = TestService.start(UcxServer.create(server), unchanged -> unchanged);
        socket = RSocketConnector.connectWith(UcxClientTransport.create(client, TestResources.HOST, service.port()))
                .block(TestResources.LIMIT);
    }

    @AfterEach
    void close() {
        socket.dispose();
        socket.onClose().onErrorComplete().block(TestResources.LIMIT);
        service.close();
        client.disposeNow();
        server.disposeNow();
    }

    private static Payload large() {
        return DefaultPayload.create(new byte[LARGE]);
    }

    private static int length(Payload payload) {
        int length = payload.data().readableBytes();
        payload.release();
        return length;
    }

    @Test
    void answersEachRequest() {
        List<Integer> answers = Flux.range(0, COUNT).flatMap(each -> socket.requestResponse(large()), CONCURRENCY)
                .map(FewInFlightTest::length).collectList().block(TestResources.LIMIT);

        assertThat(answers).isEqualTo(Collections.nCopies(COUNT, LARGE));
    }

    @Test
    void streamsAllItems() {
        List<List<Integer>> streams = Flux.range(0, CONCURRENCY)
                .flatMap(each -> socket.requestStream(DefaultPayload.create(Integer.toString(COUNT)))
                        .map(Payload::getDataUtf8).map(Integer::parseInt).collectList(), CONCURRENCY)
                .collectList().block(TestResources.LIMIT);

        assertThat(streams).isEqualTo(Collections.nCopies(CONCURRENCY, IntStream.range(0, COUNT).boxed().toList()));
    }

    @Test
    void sendsChannelsBack() {
        List<List<Integer>> channels = Flux.range(0, CHANNELS)
                .flatMap(each -> socket.requestChannel(Flux.range(0, COUNT).map(number -> large()))
                        .limitRate(WINDOW).map(FewInFlightTest::length).collectList(), CONCURRENCY)
                .collectList().block(TestResources.LIMIT);

        assertThat(channels).isEqualTo(Collections.nCopies(CHANNELS, Collections.nCopies(COUNT, LARGE)));
    }
}

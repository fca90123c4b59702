package io.reactorucx;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A server whose subscriber keeps every message, and a client in the same process that sends without an end. The Java
 * heap fills, the engines fail, and the client's sends end with an error where there is memory for that.
 *
 * <p>Arguments: what is sent, and the transports.
 */
final class KeepingProgram {

    static final String ENDED_WITH_AN_ERROR = "ended with an error: ";
    static final String NOT_ENDED = "not ended, well: ";

    private static final int ID = 5;
    private static final int MESSAGE_BYTES = 512;
    private static final int BATCH = 64;
    /** Longest time without an end of the sends. */
    private static final long LIMIT_SECONDS = 10;
    /** A side whose engine has no memory for an error is silent, and the other one has to find that out. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(2);

    private static final CountDownLatch ENDS = new CountDownLatch(1);
    private static final List<Object> KEPT = new ArrayList<>();

    private static volatile @Nullable Throwable failure;

    private KeepingProgram() {
    }

    public static void main(String[] args) throws InterruptedException {
        UcxResources resources = UcxResources.builder().transports(args[1].split(",")).engines(2).build();
        boolean messages = args[0].equals("messages");
        UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0).heartbeatInterval(HEARTBEAT)
                .handle(connection -> (messages ? connection.inbound().receiveByteArrays().doOnNext(KEPT::add)
                        : connection.activeMessages().receive(ID).doOnNext(KEPT::add)).then())
                .bindNow();
        UcxConnection client = UcxClient.create(resources).remoteAddress("127.0.0.1", server.port())
                .heartbeatInterval(HEARTBEAT).connectNow();
        byte[] payload = new byte[MESSAGE_BYTES];
        Flux<byte[]> endless = Flux.<byte[]>generate(sink -> sink.next(payload));
        Mono<Void> sends = messages ? client.outbound().sendByteArrays(endless)
                : endless.flatMap(each -> client.activeMessages().send(ID, each), BATCH).then();
        sends.subscribe(end -> { }, KeepingProgram::failed, ENDS::countDown);
        boolean ended = ENDS.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        KEPT.clear();
        Throwable error = failure;
        System.out.println(error == null ? NOT_ENDED + ended : ENDED_WITH_AN_ERROR + error);
        System.exit(0);
    }

    private static void failed(Throwable error) {
        failure = error;
        ENDS.countDown();
    }
}

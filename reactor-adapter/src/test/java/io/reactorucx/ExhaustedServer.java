package io.reactorucx;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Mono;

/** A server whose handler takes all memory of the process. It tells how the server ends, and whether it can go on. */
final class ExhaustedServer {

    static final String READY = "ready ";
    static final String ENDED = "ended ";
    static final String AGAIN = "again ";
    static final int ID = 5;

    private static final int CHUNK_BYTES = 64 << 10;

    private ExhaustedServer() {
    }

    /**
     * The process.
     *
     * @param args the transports
     */
    public static void main(String[] args) throws Exception {
        UcxResources resources = UcxResources.builder().transports(args).build();
        UcxBoundServer server = bind(resources);
        CompletableFuture<Void> end = server.onDispose().toFuture();
        System.out.println(READY + server.port());
        String ended = ended(end);
        System.out.println(ENDED + ended);
        resources.disposeNow();

        UcxResources next = UcxResources.builder().transports(args).build();
        try {
            UcxBoundServer again = bind(next);
            UcxClient.create(next).remoteAddress("127.0.0.1", again.port()).connectNow().disposeNow();
            System.out.println(AGAIN + resources.context().isClosed());
        } finally {
            next.disposeNow();
        }
    }

    private static String ended(CompletableFuture<Void> end) throws InterruptedException {
        try {
            end.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return "well";
        } catch (TimeoutException e) {
            return "never";
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause()).getMessage();
        }
    }

    private static UcxBoundServer bind(UcxResources resources) {
        return UcxServer.create(resources).bindAddress("127.0.0.1", 0)
                .handle(connection -> connection.activeMessages().receive(ID).doOnNext(message -> {
                    List<byte[]> all = new ArrayList<>();
                    while (!Thread.currentThread().isInterrupted()) {
                        all.add(new byte[CHUNK_BYTES]);
                    }
                }).then(Mono.never())).bindNow();
    }
}

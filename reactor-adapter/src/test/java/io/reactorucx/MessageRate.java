package io.reactorucx;

import io.reactorucx.engine.WaitStrategy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Measures the rate of flow-controlled messages between two processes. A program, not a test:
 * {@code MessageRate <transports> <bytes> <messages> [rounds]}.
 */
final class MessageRate {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int WINDOW = Integer.getInteger("window", 256);

    private MessageRate() {
    }

    public static void main(String[] args) throws IOException {
        if (args[0].equals("server")) {
            serve(args[1]);
            return;
        }
        int size = Integer.parseInt(args[1]);
        int count = Integer.parseInt(args[2]);
        int rounds = args.length > 3 ? Integer.parseInt(args[3]) : 5;
        Process server = new ProcessBuilder(List.of(ProcessHandle.current().info().command().orElseThrow(),
                "-Dwindow=" + WINDOW, "-Dwait="
                + System.getProperty("wait", "ADAPTIVE"), "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), MessageRate.class.getName(), "server", args[0]))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(server.getInputStream(),
                StandardCharsets.UTF_8))) {
            measure(args[0], Integer.parseInt(Objects.requireNonNull(out.readLine())), size, count, rounds);
        } finally {
            server.destroy();
        }
    }

    private static UcxResources resources(String transports) {
        return UcxResources.builder().transports(transports.split(",")).maxBufferBytes(256L << 20)
                .waitStrategy(WaitStrategy.valueOf(System.getProperty("wait", "ADAPTIVE"))).build();
    }

    /** Receives everything, and replies with a message when the announced number has arrived. */
    private static void serve(String transports) {
        UcxServer.create(resources(transports)).messageWindow(WINDOW, 1 << 20).handle((in, out) -> {
            Sinks.Many<String> answers = Sinks.many().unicast().onBackpressureBuffer();
            long[] left = new long[1];
            return in.receiveByteArrays().doOnNext(message -> {
                if (left[0] == 0) {
                    left[0] = Long.parseLong(new String(message, StandardCharsets.UTF_8));
                } else if (--left[0] == 0) {
                    answers.tryEmitNext("done");
                }
            }).then().and(out.sendStrings(answers.asFlux()));
        }).bind().doOnNext(bound -> System.out.println(bound.port())).then(Mono.never()).block();
    }

    private static void measure(String transports, int port, int size, int count, int rounds) {
        UcxResources resources = resources(transports);
        UcxConnection connection = UcxClient.create(resources).messageWindow(WINDOW, 1 << 20)
                .remoteAddress("127.0.0.1", port).connectNow();
        byte[] message = new byte[size];
        Flux<String> answers = connection.inbound().receiveStrings().publish(1).refCount(1, Duration.ofSeconds(1));
        for (int round = 0; round < rounds; round++) {
            long begin = System.nanoTime();
            Flux<byte[]> messages = Flux.range(-1, count + 1)
                    .map(i -> i < 0 ? Integer.toString(count).getBytes(StandardCharsets.UTF_8) : message);
            answers.next().mergeWith(connection.outbound().sendByteArrays(messages).then(Mono.empty())).blockLast(LONG);
            double seconds = (System.nanoTime() - begin) / 1e9;
            System.out.printf("%s, %d B: %.2f M/s, %.3f GB/s, %.1f messages in a batch%n", transports, size,
                    count / seconds / 1e6,
                    (double) count * size / seconds / 1e9, (double) resources.messageStatistics().getFirst().sent()
                            / resources.messageStatistics().getFirst().batches());
        }
        resources.disposeNow();
    }
}

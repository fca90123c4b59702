package io.reactorucx.stress;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A server and its clients, each a process, with checked traffic, while this process kills, stops and continues
 * clients, and connects to each port of the server. Action n draws from a {@link Random} of
 * {@code seed * 1_000_003 + n}.
 */
final class Chaos implements AutoCloseable {

    private static final long FACTOR = 1_000_003;
    private static final int MOST_CLIENTS = 3;
    private static final Duration PATIENCE = TestTime.seconds(60);
    /** Descriptors and threads that come and go without being a leak. */
    private static final int SLACK = 16;

    private final long seed;
    private final String transports;
    private final Path crashes;
    private final ChildJvm server;
    private final int port;
    private final List<Client> clients = new ArrayList<>();
    private final List<Socket> strangers = new ArrayList<>();
    private final List<String> actions = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private final Map<String, Long> before;
    private long number;

    /** A client, which may be killed, and then ends as it may. */
    private static final class Client {

        private final ChildJvm process;
        private final String name;
        private boolean disturbed;

        Client(ChildJvm process, String name) {
            this.process = process;
            this.name = name;
        }
    }

    Chaos(String transports, long seed, Path crashes) {
        this.transports = transports;
        this.seed = seed;
        this.crashes = crashes;
        server = jvm(ChaosServer.class).start();
        port = Integer.parseInt(server.awaitLine(ChaosServer.READY).substring(ChaosServer.READY.length()));
        honest();
        before = settled();
    }

    private ChildJvm.Builder jvm(Class<?> program) {
        return ChildJvm.of(program).options("-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-XX:ErrorFile=" + crashes.resolve("hs_err_pid%p.log"),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-D" + RandomCalls.TRANSPORTS + "=" + transports);
    }

    private void did(String action) {
        actions.add(number + " " + action);
        counts.merge(action.split(" ")[0], 1, Integer::sum);
    }

    /** Does one thing. */
    void act() {
        number++;
        Random random = new Random(seed * FACTOR + number);
        int live = (int) clients.stream().filter(client -> client.process.handle().isAlive()).count();
        if (live < MOST_CLIENTS) {
            ChaosClient.Manner manner = ChaosClient.Manner.values()[random.nextInt(3)];
            start(manner, 500 + random.nextInt(2500), random.nextInt());
            return;
        }
        Client client = clients.get(clients.size() - 1 - random.nextInt(MOST_CLIENTS));
        switch (random.nextInt(4)) {
            case 0 -> {
                did("kill " + client.name);
                client.disturbed = true;
                client.process.handle().destroyForcibly();
            }
            case 1 -> stop(client, random);
            case 2 -> strangers(random);
            default -> LockSupport.parkNanos(random.nextInt(300) * 1_000_000L);
        }
        if (!server.handle().isAlive()) {
            faults.add("the server has ended");
        }
    }

    private Client start(ChaosClient.Manner manner, int millis, long choices) {
        return start(manner, millis, choices, false);
    }

    private Client start(ChaosClient.Manner manner, int millis, long choices, boolean plantedLoss) {
        String name = manner + "-" + number;
        did("start " + name);
        Client client = new Client(jvm(ChaosClient.class).options("-D" + RandomCalls.PLANT + "=" + plantedLoss)
                .arguments(manner.name(), Integer.toString(port), Integer.toString(millis), Long.toString(choices))
                .start(), name);
        clients.add(client);
        return client;
    }

    private void stop(Client client, Random random) {
        if (!client.process.handle().isAlive()) {
            return;
        }
        long millis = random.nextInt(2) == 0 ? random.nextInt(500) : 2 * ChaosServer.HEARTBEAT.toMillis();
        did("stop " + client.name + " for " + millis + " ms");
        try {
            client.process.signal("STOP");
            LockSupport.parkNanos(millis * 1_000_000);
            client.process.signal("CONT");
        } catch (AssertionError ended) {
            actions.add(number + " it had ended");
        }
    }

    /** Connects to each port on which the server listens, and sends bytes that mean nothing there. */
    private void strangers(Random random) {
        try {
            for (int each : ListeningPorts.of(server.handle().pid())) {
                did("stranger at " + (each == port ? "the handshake port" : "another port"));
                Socket socket = new Socket();
                strangers.add(socket);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), each), 500);
                byte[] garbage = new byte[1 + random.nextInt(3000)];
                random.nextBytes(garbage);
                OutputStream out = socket.getOutputStream();
                out.write(garbage);
                if (random.nextBoolean()) {
                    socket.close();
                }
            }
        } catch (IOException refused) {
            actions.add(number + " " + refused);
        }
    }

    /** An honest client is served, and all that it sends comes back. */
    private void honest() {
        Client client = start(ChaosClient.Manner.HONEST, 0, seed);
        ended(client);
        clients.remove(client);
    }

    /** Returns what the harness says of a client that does not take one of its responses; that is no fault then. */
    String plantedLoss() {
        Client client = start(ChaosClient.Manner.HONEST, 0, seed, true);
        ended(client);
        clients.remove(client);
        return String.join("\n", takeFaults());
    }

    private List<String> takeFaults() {
        List<String> taken = List.copyOf(faults);
        faults.clear();
        return taken;
    }

    private void ended(Client client) {
        try {
            ChildProcess.Result result = client.process.result(PATIENCE);
            if (!client.disturbed && (result.exitCode() != 0 || !result.output().contains(ChaosClient.DONE))
                    || result.output().contains(ChaosServer.FAULT)) {
                faults.add(client.name + " ended with " + result.exitCode() + ":\n" + result.output());
            }
        } catch (AssertionError hanging) {
            faults.add(client.name + " did not end: " + hanging.getMessage());
        } finally {
            client.process.close();
        }
    }

    private Map<String, Long> levels() {
        server.send("levels");
        String line = server.awaitLine(ChaosServer.LEVELS).substring(ChaosServer.LEVELS.length());
        return Stream.of(line.split(" ")).map(each -> each.split("="))
                .collect(Collectors.toMap(each -> each[0], each -> Long.valueOf(each[1])));
    }

    private static boolean isQuiet(Map<String, Long> levels) {
        return Stream.of("connections", "leases", "inFlight", "held", "handshakes")
                .allMatch(name -> levels.getOrDefault(name, -1L) == 0);
    }

    /** The levels when nothing goes on any more; as they are when that takes too long. */
    private Map<String, Long> settled() {
        return levelsOnce(Chaos::isQuiet);
    }

    private Map<String, Long> levelsOnce(Predicate<Map<String, Long>> condition) {
        List<Map<String, Long>> last = new ArrayList<>(List.of(Map.of()));
        Waits.until(PATIENCE.dividedBy(2), () -> {
            last.set(0, levels());
            return condition.test(last.getFirst());
        });
        return last.getFirst();
    }

    private boolean isBack(Map<String, Long> levels) {
        // A descriptor or a thread of an idle endpoint or a pool stays.
        return isQuiet(levels) && Stream.of("descriptors", "threads").allMatch(name ->
                levels.getOrDefault(name, 0L) <= before.getOrDefault(name, 0L) + SLACK
                + (name.equals("descriptors") ? levels.getOrDefault("idle", 0L) : 0));
    }

    /** Ends everything, and looks for what is left. */
    String end() {
        for (Client client : clients) {
            ended(client);
        }
        for (Socket socket : strangers) {
            try {
                socket.close();
            } catch (IOException e) {
                faults.add("closing a socket: " + e);
            }
        }
        if (server.handle().isAlive()) {
            honest();
            Map<String, Long> after = levelsOnce(this::isBack);
            if (!isBack(after)) {
                faults.add("the server held " + before + " at the start, and holds " + after);
            }
            server.send("end");
            ChildProcess.Result result = server.result(PATIENCE);
            if (result.exitCode() != 0 || !result.output().contains(ChaosServer.ENDED + "contexts=0")
                    || result.output().contains(ChaosServer.FAULT)) {
                faults.add("the server ended with " + result.exitCode() + ":\n" + result.output());
            }
            actions.add("messages of the server: " + after.get("messages"));
        } else {
            faults.add("the server has ended:\n" + server.output());
        }
        String[] crashed = crashes.toFile().list((folder, name) -> name.startsWith("hs_err"));
        if (crashed != null && crashed.length > 0) {
            faults.add("crashes: " + Arrays.toString(crashed));
        }
        return "seed " + seed + ": " + number + " actions, " + counts + ", " + actions.getLast();
    }

    List<String> faults() {
        return faults;
    }

    /** The seed, what was done, and what was wrong. */
    String report() {
        return "seed " + seed + ", transports " + transports + "\nactions:\n" + String.join("\n", actions)
                + "\nfaults:\n" + String.join("\n", faults);
    }

    static Path folder() throws IOException {
        return Files.createTempDirectory(Files.createDirectories(Path.of("target", "stress")), "chaos")
                .toAbsolutePath();
    }

    @Override
    public void close() {
        clients.forEach(client -> client.process.close());
        server.close();
    }
}

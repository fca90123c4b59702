package io.reactorucx.examples.store.load;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.util.FileSystemUtils;

/**
 * The registry as a process of its own: a ZooKeeper server without a past, which ends with its standard input. Its
 * argument is a folder for its files, which it deletes.
 */
final class RegistryProcess {

    private static final int TICK_MILLIS = 500;

    private RegistryProcess() {
    }

    public static void main(String[] arguments) throws Exception {
        LoggingSystem.get(RegistryProcess.class.getClassLoader()).setLogLevel(LoggingSystem.ROOT_LOGGER_NAME,
                LogLevel.WARN);
        Path folder = Path.of(arguments[0]);
        TestingServer server = start();
        // Also when a signal ends the process.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> close(server, folder)));
        System.out.println(ChildProcess.READY + server.getPort());
        awaitEndOfInput();
        System.exit(0);
    }

    /** Sessions may be as short as two ticks. */
    static TestingServer start() throws Exception {
        return new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, -1), true);
    }

    private static void close(TestingServer server, Path folder) {
        try (server) {
            server.stop();
        } catch (IOException e) {
            System.err.println("the registry did not stop: " + e);
        }
        try {
            FileSystemUtils.deleteRecursively(folder);
        } catch (IOException e) {
            System.err.println("the registry's folder " + folder + " is left: " + e);
        }
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // Only its end matters.
        }
    }
}

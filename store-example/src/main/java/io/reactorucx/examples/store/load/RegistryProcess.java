package io.reactorucx.examples.store.load;

import java.io.IOException;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/** The registry as a process of its own: a ZooKeeper server without a past, which ends with its standard input. */
final class RegistryProcess {

    private static final int TICK_MILLIS = 500;

    private RegistryProcess() {
    }

    public static void main(String[] arguments) throws Exception {
        LoggingSystem.get(RegistryProcess.class.getClassLoader()).setLogLevel(LoggingSystem.ROOT_LOGGER_NAME,
                LogLevel.WARN);
        try (TestingServer server = start()) {
            System.out.println(ChildProcess.READY + server.getPort());
            awaitEndOfInput();
        }
        Runtime.getRuntime().halt(0);
    }

    /** Sessions may be as short as two ticks. */
    static TestingServer start() throws Exception {
        return new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, -1), true);
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // Only its end matters.
        }
    }
}

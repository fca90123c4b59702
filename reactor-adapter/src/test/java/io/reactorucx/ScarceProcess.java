package io.reactorucx;

import io.reactorucx.core.error.UcxException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import reactor.core.publisher.Mono;

/** A process that lacks a resource, or has a wrong setting. It tells the errors with which it cannot go on. */
final class ScarceProcess {

    static final String READY = "ready ";
    static final String CONNECTED = "connected";
    static final String FAILED = "failed ";
    /** System property: when the process waits for a line of input, after it has told how many files are open. */
    static final String WAIT = "scarce.wait";
    /** Waits before it makes its resources. */
    static final String EARLY = "early";
    /** Waits when it has its resources, and then binds and connects. */
    static final String LATE = "late";

    private ScarceProcess() {
    }

    /**
     * The process.
     *
     * @param args the transports; UCX's default where there are none
     */
    public static void main(String[] args) throws IOException {
        String wait = System.getProperty(WAIT, "");
        if (!wait.isEmpty()) {
            loadClasses(args);
        }
        if (wait.equals(EARLY)) {
            awaitLine();
        }
        try {
            UcxResources resources = resources(args);
            try {
                if (wait.equals(LATE)) {
                    UcxBoundServer server = bind(resources);
                    awaitLine();
                    attempt(() -> bind(resources));
                    attempt(() -> connect(resources, server.port()));
                } else {
                    connect(resources, bind(resources).port());
                    System.out.println(CONNECTED);
                }
            } finally {
                resources.disposeNow();
            }
        } catch (UcxException e) {
            System.out.println(FAILED + e.getMessage());
        }
    }

    /** Does all that needs a class, since a class file is a file that has to be opened. */
    private static void loadClasses(String... transports) {
        UcxResources resources = resources(transports);
        UcxBoundServer server = bind(resources);
        connect(resources, server.port());
        server.disposeNow();
        attempt(() -> connect(resources, server.port()));
        resources.disposeNow();
    }

    private static void awaitLine() throws IOException {
        String[] open = Path.of("/proc/self/fd").toFile().list();
        System.out.println(READY + (open == null ? -1 : open.length));
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
    }

    private static void attempt(Runnable action) {
        try {
            action.run();
            System.out.println(CONNECTED);
        } catch (UcxException e) {
            System.out.println(FAILED + e.getMessage());
        }
    }

    private static UcxResources resources(String... transports) {
        UcxResourcesBuilder builder = UcxResources.builder();
        return (transports.length == 0 ? builder : builder.transports(transports)).build();
    }

    private static UcxBoundServer bind(UcxResources resources) {
        return UcxServer.create(resources).bindAddress("127.0.0.1", 0).handle(connection -> Mono.never()).bindNow();
    }

    private static void connect(UcxResources resources, int port) {
        UcxClient.create(resources).remoteAddress("127.0.0.1", port).connectNow().disposeNow();
    }
}

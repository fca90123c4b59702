package io.reactorucx.core;

import io.reactorucx.core.error.UcxUnavailableException;
import io.reactorucx.testsupport.TestTime;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Main classes for {@link LoadingTest}: UCX can be loaded only once in a process, and may end it. */
final class LoadingPrograms {

    private static final int ITERATIONS = 200_000;
    private static final long TIMEOUT_SECONDS = TestTime.seconds(60).toSeconds();

    private LoadingPrograms() {
    }

    /** Sends an active message from a worker to itself and returns the text that was received. */
    private static String exchange(String transports) {
        List<UcpActiveMessage> received = new ArrayList<>();
        // A number with a fraction, as some of UCX's own defaults have: in some locales UCX cannot parse it.
        UcpConfig config = UcpConfig.builder().features(UcpFeature.AM).transports(transports.split(","))
                .setting("KEEPALIVE_INTERVAL", "2.5s").build();
        try (UcpContext context = UcpContext.create(config);
                UcpWorker worker = context.createWorker(UcpWorkerConfig.of("child"))) {
            worker.activeMessages().handler(Pair.ID, message -> received.add(message.keep()));
            EndpointOptions options = new EndpointOptions(ErrorMode.NONE, "itself", (endpoint, status) -> { });
            UcpEndpoint endpoint = worker.connect(worker.address(), options);
            MemorySegment payload = Arena.ofAuto().allocateFrom("hello");
            Outcome sent = Outcome.of(done -> endpoint.amSend(Pair.ID, Pair.EMPTY, payload, null, AmProtocol.AUTO,
                    false, done));
            Pair.until(worker::progress, () -> sent.isDone() && !received.isEmpty(), "a message");
            Outcome closed = Outcome.of(done -> endpoint.close(CloseMode.FLUSH, done));
            Pair.until(worker::progress, closed::isDone, "a closed endpoint");
        }
        return new String(received.getFirst().payload().toArray(ValueLayout.JAVA_BYTE),
                StandardCharsets.UTF_8).replace("\0", "");
    }

    private static int length(@Nullable String text) {
        return text.length();
    }

    /** Maps the files of a folder, then loads UCX. */
    static final class MappedFile {
        public static void main(String[] args) throws IOException {
            List<MemorySegment> mapped = new ArrayList<>();
            try (Stream<Path> files = Files.list(Path.of(args[0]))) {
                for (Path file : files.toList()) {
                    try (FileChannel channel = FileChannel.open(file)) {
                        mapped.add(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.global()));
                    }
                }
            }
            System.out.println("mapped " + mapped.size() + " files");
            System.out.println("available " + Ucx.isAvailable() + ", " + Ucx.libraryPath());
        }
    }

    /** Compiled code has no test for null: the fault that it takes instead has to reach the JVM. */
    private static int caughtNullPointers() {
        int caught = 0;
        for (int i = 0; i < ITERATIONS; i++) {
            try {
                length((i & 1) == 0 ? null : "text");
            } catch (NullPointerException e) {
                caught++;
            }
        }
        return caught;
    }

    private static String signalMasks() throws IOException {
        return String.join(" ", Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("SigCgt") || line.startsWith("SigIgn")).toList());
    }

    /** Null checks and signal masks around loading; an argument names a library to load first. */
    static final class NullChecks {
        public static void main(String[] arguments) throws IOException {
            caughtNullPointers();
            if (arguments.length > 0) {
                System.load(arguments[0]);
            }
            System.out.println("before " + signalMasks());
            Ucx.ensureAvailable();
            UcpContext context = UcpContext.create(UcpConfig.builder().transports("tcp").build());
            System.out.println("after " + signalMasks());
            System.out.println("caught " + caughtNullPointers() + " of " + ITERATIONS / 2);
            context.close();
        }
    }

    /** Prints why UCX cannot be used. */
    static final class Availability {
        public static void main(String[] arguments) {
            System.out.println("available " + Ucx.isAvailable());
            Ucx.unavailabilityCause().ifPresent(cause -> System.out.println("cause " + cause.getMessage()));
            try {
                UcpContext.create(UcpConfig.builder().build()).close();
                System.out.println("created");
            } catch (UcxUnavailableException e) {
                System.out.println("thrown " + e.getMessage());
            }
        }
    }

    /** Exchanges a message over the transports that are named. */
    static final class Exchange {
        public static void main(String[] arguments) {
            System.out.println("locale " + Locale.getDefault() + " received " + exchange(arguments[0]));
        }
    }

    /** Sends a message of an id that has no handler, of which UCX warns. */
    static final class Unheard {
        public static void main(String[] arguments) {
            try (Pair pair = Pair.of(Link.SELF_NONE)) {
                pair.run(done -> pair.toServer.amSend(Pair.ID + 1, Pair.EMPTY, Pair.pattern(8), null, AmProtocol.AUTO,
                        false, done));
                pair.assertStillWorks();
            }
            System.out.println("dropped");
        }
    }

    /** Exchanges messages in two class loaders that do not know each other, with the first one again at the end. */
    static final class TwoClassLoaders {
        public static void main(String[] arguments) throws Exception {
            List<URL> path = new ArrayList<>();
            for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
                path.add(Path.of(each).toUri().toURL());
            }
            URL[] urls = path.toArray(URL[]::new);
            try (URLClassLoader first = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
                    URLClassLoader second = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
                for (ClassLoader loader : List.of(first, second, first)) {
                    Class<?> program = Class.forName(Exchange.class.getName(), true, loader);
                    Method main = program.getDeclaredMethod("main", String[].class);
                    main.setAccessible(true);
                    main.invoke(null, (Object) arguments);
                    System.out.println("in " + (loader == first ? "first" : "second") + " "
                            + (program.getClassLoader() == loader));
                }
            }
        }
    }

    /**
     * Waits for SIGHUP with a handler that was installed before UCX is loaded; by reflection, since javac always warns
     * of this class.
     */
    static final class HangupHandler {
        public static void main(String[] arguments) throws InterruptedException, ReflectiveOperationException {
            CountDownLatch hangup = new CountDownLatch(1);
            Class<?> signals = Class.forName("sun.misc.Signal");
            Class<?> handlers = Class.forName("sun.misc.SignalHandler");
            Object signal = signals.getConstructor(String.class).newInstance("HUP");
            InvocationHandler countDown = (self, method, parameters) -> {
                hangup.countDown();
                return null;
            };
            Object handler = Proxy.newProxyInstance(handlers.getClassLoader(), new Class<?>[] {handlers}, countDown);
            signals.getMethod("handle", signals, handlers).invoke(null, signal, handler);
            Ucx.ensureAvailable();
            UcpContext context = UcpContext.create(UcpConfig.builder().transports("tcp").build());
            signals.getMethod("raise", signals).invoke(null, signal);
            System.out.println("handled " + hangup.await(TIMEOUT_SECONDS, TimeUnit.SECONDS));
            context.close();
        }
    }

    /** Waits for SIGHUP without a handler, with UCX loaded. */
    static final class HangupDefault {
        public static void main(String[] arguments) throws InterruptedException {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("shut down in order")));
            Ucx.ensureAvailable();
            UcpContext.create(UcpConfig.builder().transports("tcp").build());
            System.out.println("ready");
            System.out.println("not ended: " + new CountDownLatch(1).await(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        }
    }
}

package io.reactorucx.core;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parameters of a worker, and those that UCX must never get. */
@ExtendWith(NoLeaks.class)
class WorkerParametersTest {

    private UcpContext context;

    @BeforeEach
    void createContext() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        context = UcpContext.create(UcpConfig.builder().name("parameters").transports("posix", "tcp").build());
    }

    @AfterEach
    void closeContext() {
        if (context != null) {
            context.close();
        }
    }

    private UcpWorker worker(UcpWorkerParameters.Builder parameters) {
        return context.createWorker(UcpWorkerConfig.of("tested").with(parameters.build()));
    }

    private static int c(String function, Object... arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            layouts[i] = arguments[i] instanceof MemorySegment ? ValueLayout.ADDRESS : JAVA_INT;
        }
        Linker linker = Linker.nativeLinker();
        try {
            return (int) linker.downcallHandle(linker.defaultLookup().findOrThrow(function),
                    FunctionDescriptor.of(JAVA_INT, layouts))
                    .invokeWithArguments(arguments);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 100, 8192, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void refusesAlignmentThatUcxWouldDivideBy(int bytes) {
        assertThatThrownBy(() -> UcpWorkerParameters.builder().amAlignment(bytes).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("amAlignment " + bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 4096})
    void alignsHeldMessages(int alignment) {
        UcpWorkerConfig small = new UcpWorkerConfig("small", 64, 0, 8, UcpWorkerParameters.builder()
                .amAlignment(alignment).build());
        try (Pair pair = Pair.of(Link.POSIX_PEER, small)) {
            for (int length : new int[] {1, 100, 5000}) {
                Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(length), AmProtocol.EAGER);
                UcpActiveMessage message = pair.awaitMessage();
                if (!message.isInline()) {
                    assertThat(message.data() % alignment).isZero();
                }
                assertThat(pair.data(message).mismatch(Pair.pattern(length))).isEqualTo(-1);
                pair.awaitOk(sent);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1024, Integer.MAX_VALUE})
    void refusesProcessorOutOfRange(int cpu) {
        assertThatThrownBy(() -> UcpWorkerParameters.builder().cpus(Set.of(cpu)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cpu " + cpu);
    }

    @Test
    void takesProcessorsIdsAndFlags() {
        UcpWorker worker = worker(
                UcpWorkerParameters.builder().cpus(Set.of(0, 63, 64, 1023)).clientId(-1).ignoreRequestLeak(true));
        assertThat(worker.config().parameters().cpus()).containsExactly(0, 63, 64, 1023);
        worker.progress();
        worker.close();
    }

    @Test
    void refusesEventsThatNeverWake() {
        assertThatThrownBy(() -> UcpWorkerParameters.builder().events(EnumSet.of(WakeupEvent.EDGE)).build())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("events EDGE");
        assertThatThrownBy(() -> UcpWorkerParameters.builder().events(null).build())
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("events");
        assertThatThrownBy(() -> UcpWorkerParameters.builder().threadMode(null).build())
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("threadMode");
    }

    @ParameterizedTest
    @EnumSource(value = WakeupEvent.class, names = "EDGE", mode = EnumSource.Mode.EXCLUDE)
    void wakesBySignalWhateverTheEvents(WakeupEvent event) {
        for (Set<WakeupEvent> events : Set.of(EnumSet.of(event), EnumSet.of(event, WakeupEvent.EDGE))) {
            UcpWorker worker = worker(UcpWorkerParameters.builder().events(events));
            Pair.until(worker::progress, worker::arm, "rest");
            Thread.ofPlatform().start(worker::signal);
            assertThat(worker.await(TimeUnit.SECONDS.toNanos(10))).as("woken with events %s", events).isTrue();
            worker.close();
        }
    }

    @Test
    void refusesEventsWithoutFeature() {
        try (UcpContext busy =
                UcpContext.create(UcpConfig.builder().features(UcpFeature.AM).transports("tcp").build())) {
            UcpWorkerParameters parameters = UcpWorkerParameters.builder().events(EnumSet.of(WakeupEvent.RX)).build();
            assertThatThrownBy(() -> busy.createWorker(UcpWorkerConfig.of("w").with(parameters)))
                    .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("WAKEUP");
        }
    }

    @Test
    void refusesEventDescriptorThatWouldAbortTheProcess() {
        assertThatThrownBy(() -> worker(UcpWorkerParameters.builder().eventFd(1_000_000, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("eventFd 1000000").hasMessageContaining("no open descriptor");
        int noEpoll = c("eventfd", 0, 0);
        try {
            assertThatThrownBy(() -> worker(UcpWorkerParameters.builder().eventFd(noEpoll, 0)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("eventFd " + noEpoll).hasMessageContaining("epoll");
        } finally {
            c("close", noEpoll);
        }
        assertThatThrownBy(() -> UcpWorkerParameters.builder().eventFd(-2, 0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("eventFd -2");
        assertThat(context.openWorkers()).isZero();
    }

    @Test
    void reportsToDescriptorOfTheCallerWhoMayCloseItFirst() {
        int epoll = c("epoll_create1", 0);
        UcpWorker worker = worker(UcpWorkerParameters.builder().eventFd(epoll, 0x1234567890L));
        Pair.until(worker::progress, worker::arm, "rest");
        assertThat(worker.await(0)).as("woken without a signal").isFalse();
        worker.signal();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(16);
            assertThat(c("epoll_wait", epoll, event, 1, 10_000)).isEqualTo(1);
            long dataOffset = "amd64".equals(System.getProperty("os.arch")) ? 4 : 8;
            assertThat(event.get(JAVA_LONG_UNALIGNED, dataOffset)).isEqualTo(0x1234567890L);
        }
        assertThat(worker.await(0)).isTrue();
        assertThatThrownBy(worker::eventFd).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("worker_get_efd");
        c("close", epoll);
        worker.progress();
        worker.close();
        assertThat(worker.isClosed()).isTrue();
    }

    @Test
    void waitsForWorkNoLongerThanItMay() {
        UcpWorker worker = worker(UcpWorkerParameters.builder());
        Pair.until(worker::progress, worker::arm, "rest");
        assertThat(worker.waitForWork(0)).isFalse();
        worker.signal();
        assertThat(worker.waitForWork(TimeUnit.SECONDS.toNanos(10))).as("woken by a signal").isTrue();
        worker.close();
    }

    @Test
    void waitsForMemoryThatIsThere() {
        UcpWorker worker = worker(UcpWorkerParameters.builder());
        worker.waitForMemory(Arena.ofAuto().allocate(8));
        assertThatThrownBy(() -> worker.waitForMemory(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("memory");
        assertThatThrownBy(() -> worker.waitForMemory(Pair.EMPTY)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("memory");
        assertThatThrownBy(() -> worker.waitForMemory(BadInput.heap())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Java heap");
        assertThatThrownBy(() -> worker.waitForMemory(BadInput.inClosedArena()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("closed");
        worker.close();
    }

    @Test
    void tellsWorkersApartByTheirAddresses() {
        UcpWorker one = worker(UcpWorkerParameters.builder());
        UcpWorker two = worker(UcpWorkerParameters.builder());
        assertThat(UcpWorker.uid(one.address())).isEqualTo(UcpWorker.uid(one.networkAddress()))
                .isNotEqualTo(UcpWorker.uid(two.address()));
        assertThat(one.networkAddress()).hasSizeLessThan(one.address().length);
        one.close();
        two.close();
    }

    /** UCX asserts the version of an address, and ends the process for one that it does not know. */
    @Test
    void refusesAddressOfUnknownVersion() {
        UcpWorker worker = worker(UcpWorkerParameters.builder());
        EndpointOptions options = new EndpointOptions(ErrorMode.PEER, "nobody", (failed, status) -> { });
        for (int version = 2; version < 16; version++) {
            byte[] address = worker.address();
            address[0] = (byte) (address[0] & 0xf0 | version);
            assertThatThrownBy(() -> worker.connect(address, options)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("workerAddress of version");
            assertThatThrownBy(() -> UcpWorker.uid(address)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> UcpWorker.uid(new byte[8])).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8 bytes");
        assertThatThrownBy(() -> UcpWorker.uid(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("workerAddress");
        assertThat(UcpWorker.uid(new byte[9])).isZero();
        assertThat(worker.endpoints()).isEmpty();
        worker.close();
    }

    @Test
    void connectsByNetworkAddress() {
        UcpWorker one = worker(UcpWorkerParameters.builder());
        UcpWorker two = worker(UcpWorkerParameters.builder());
        assertThat(connect(one, two, two.networkAddress())).isNotEmpty().allMatch(name -> name.startsWith("tcp/"));
        one.close();
        two.close();
    }

    @Test
    void connectsByAddressOfTheNewerVersion() {
        UcpConfig config = UcpConfig.builder().transports("posix", "tcp").setting("ADDRESS_VERSION", "v2").build();
        try (UcpContext newer = UcpContext.create(config);
                UcpWorker one = newer.createWorker(UcpWorkerConfig.of("one"));
                UcpWorker two = newer.createWorker(UcpWorkerConfig.of("two"))) {
            assertThat(two.address()[0] & 0xf).as("version in the address").isEqualTo(1);
            assertThat(UcpWorker.uid(two.address())).isNotEqualTo(UcpWorker.uid(one.address()));
            assertThat(connect(one, two, two.address())).isNotEmpty();
        }
    }

    /** The transports of an endpoint that was connected, flushed and closed. */
    private static List<String> connect(UcpWorker one, UcpWorker two, byte[] address) {
        UcpEndpoint endpoint = one.connect(address,
                new EndpointOptions(ErrorMode.PEER, "two", (failed, status) -> { }));
        Runnable step = () -> {
            one.progress();
            two.progress();
        };
        Outcome flushed = Outcome.of(endpoint::flush);
        Pair.until(step, flushed::isDone, "a connection");
        assertThat(flushed.status()).isEqualTo(UcxStatus.OK);
        List<String> transports = endpoint.transports();
        Outcome closed = Outcome.of(done -> endpoint.close(CloseMode.FORCE, done));
        Pair.until(step, () -> closed.isDone() && one.inFlight() == 0, "a closed endpoint");
        return transports;
    }

    @Test
    void flushesAllEndpointsOfWorker() {
        try (Pair pair = Pair.of(Link.TCP_PEER); UcpMemory memory = pair.context.allocate(1 << 20);
                UcpRemoteKey key = pair.toServer.unpack(memory.descriptor())) {
            MemorySegment payload = Pair.pattern(1 << 20);
            Outcome put = Outcome.of(done -> pair.toServer.put(payload, null, key, 0, done));
            pair.client.fence();
            pair.run(pair.client::flush);
            pair.awaitOk(put);
            assertThat(memory.segment().mismatch(payload)).isEqualTo(-1);
            assertThatThrownBy(() -> pair.client.flush(null)).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("whenDone");
            pair.assertStillWorks();
        }
    }

    @Test
    void flushesAfterPeerHasFailed() {
        try (Pair pair = Pair.of(Link.TCP_PEER)) {
            pair.run(done -> pair.toClient.close(CloseMode.FORCE, done));
            pair.until(() -> !pair.errors.isEmpty(), "an error of the endpoint");
            Outcome flushed = Outcome.of(pair.client::flush);
            pair.until(flushed::isDone, "the end of a flush");
        }
    }
}

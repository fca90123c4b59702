package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.uct.internal.MemoryTypes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Arguments that UCX would abort on, or crash the JVM with. */
class MemoryDomainBadInputTest extends Domains {

    private static final Set<UctMemoryAttributes.Field> FIELDS = Set.of(UctMemoryAttributes.Field.MEM_TYPE);

    private UctMemoryDomain self;
    private final MemorySegment memory = Arena.ofAuto().allocate(16);

    @BeforeEach
    void openDomain() {
        self = open("self");
    }

    @AfterEach
    void checkThatDomainWorks() {
        if (self != null) {
            self.register(memory, UctMemoryFlag.accessAll()).close();
            self.close();
        }
    }

    private static Throwable thrownOnAnotherThread(Runnable call) {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                call.run();
                thrown.complete(new AssertionError("nothing was thrown"));
            } catch (Throwable t) {
                thrown.complete(t);
            }
        });
        return thrown.join();
    }

    /** Runs a check with memory that only another thread may touch. */
    private static void withMemoryOfAnotherThread(Consumer<MemorySegment> check) throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<MemorySegment> segment = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try (Arena arena = Arena.ofConfined()) {
                segment.complete(arena.allocate(16));
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            check.accept(segment.join());
        } finally {
            end.countDown();
            thread.join();
        }
    }

    @Test
    void refusesMemoryThatUcxMustNotTouch() throws InterruptedException {
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(16);
        }
        List<Consumer<MemorySegment>> calls = List.of(segment -> self.register(segment, UctMemoryFlag.accessAll()),
                segment -> self.queryMemory(segment, FIELDS), self::detectMemoryType);
        for (Consumer<MemorySegment> call : calls) {
            assertThatThrownBy(() -> call.accept(null)).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("segment");
            assertThatThrownBy(() -> call.accept(MemorySegment.NULL)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("segment.byteSize() 0");
            assertThatThrownBy(() -> call.accept(memory.asSlice(3, 0))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("segment.byteSize() 0");
            assertThatThrownBy(() -> call.accept(MemorySegment.ofArray(new byte[16])))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("segment").hasMessageContaining("Java heap");
            assertThatThrownBy(() -> call.accept(closed)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("closed");
            withMemoryOfAnotherThread(
                    other -> assertThatThrownBy(() -> call.accept(other)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another thread"));
        }
        MemorySegment nowhere = MemorySegment.NULL.reinterpret(16);
        for (Consumer<MemorySegment> call : calls) {
            assertThatThrownBy(() -> call.accept(nowhere)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("segment").hasMessageContaining("address 0");
        }
        assertThatThrownBy(() -> self.register(memory.asReadOnly(), UctMemoryFlag.accessAll()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("read-only");
    }

    @Test
    void refusesFlagsThatUcxDoesNotTake() {
        assertThatThrownBy(() -> self.register(memory, null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("flags");
        assertThatThrownBy(() -> self.register(memory, Set.of())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("flags []").hasMessageContaining("ACCESS_REMOTE_PUT");
        assertThatThrownBy(() -> self.register(memory, Set.of(UctMemoryFlag.NONBLOCK)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> self.queryMemory(memory, Set.of())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fields.size() 0");
        assertThatThrownBy(() -> self.queryMemory(memory, null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("fields");
        assertThatThrownBy(() -> self.isSupported(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("operation");
        assertThatThrownBy(() -> self.allocate(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("request");
    }

    @Test
    void refusesFlagThatIsNewerThanLibrary() {
        Set<UctMemoryFlag> symmetric = EnumSet.of(UctMemoryFlag.SYMMETRIC_RKEY, UctMemoryFlag.ACCESS_REMOTE_GET);
        if (Ucx.version().isAtLeast(1, 16)) {
            self.register(memory, symmetric).close();
            return;
        }
        assertThatThrownBy(() -> self.register(memory, symmetric)).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("SYMMETRIC_RKEY").hasMessageContaining("1.16");
        UctAllocationRequest request = UctAllocationRequest.of(1).withFlags(symmetric)
                .withMethods(UctAllocationMethod.HEAP);
        assertThatThrownBy(() -> self.allocate(request)).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("SYMMETRIC_RKEY");
    }

    @Test
    void refusesAddressesThatAreNone() {
        assertThatThrownBy(() -> self.isSockaddrAccessible(null, UctSockaddrAccessibility.LOCAL))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("address");
        assertThatThrownBy(() -> self.isSockaddrAccessible(InetSocketAddress.createUnresolved("nowhere", 1),
                UctSockaddrAccessibility.LOCAL)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere");
        assertThatThrownBy(() -> self.isSockaddrAccessible(new InetSocketAddress(0), null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("mode");
    }

    @Test
    void refusesAdviceOutOfBounds() {
        try (UctRegisteredMemory registered = self.register(memory, UctMemoryFlag.accessAll())) {
            assertThatThrownBy(() -> registered.advise(0, 0, UctMemoryAdvice.NORMAL))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("length 0");
            assertThatThrownBy(() -> registered.advise(0, 17, UctMemoryAdvice.NORMAL))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> registered.advise(-1, 1, UctMemoryAdvice.NORMAL))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> registered.advise(16, 1, UctMemoryAdvice.NORMAL))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> registered.advise(0, 1, null)).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("advice");
        }
    }

    @Test
    void endsRegistrationOnce() {
        UctRegisteredMemory registered = self.register(memory, UctMemoryFlag.accessAll());
        registered.close();
        registered.close();
        assertThat(registered.isClosed()).isTrue();
        assertThatThrownBy(registered::packKey).isInstanceOf(UcxClosedException.class)
                .hasMessageContaining("registration of 16 bytes");
        assertThatThrownBy(() -> registered.advise(0, 1, UctMemoryAdvice.NORMAL))
                .isInstanceOf(UcxClosedException.class);
    }

    @Test
    void refusesOtherThreads() {
        UctPackedKey packed = new UctPackedKey("self", 1, 1, new byte[0]);
        try (UctRegisteredMemory registered = self.register(memory, UctMemoryFlag.accessAll());
                UctRemoteKey key = self.unpack(packed);
                UctAllocatedMemory heap =
                        self.allocate(UctAllocationRequest.of(1).withMethods(UctAllocationMethod.HEAP))) {
            for (Runnable call : List.<Runnable>of(self::attributes, self::resources, self::isClosed, self::close,
                    () -> self.unpack(packed), () -> self.isSupported(UctMdOperation.ADVISE),
                    () -> self.register(memory, UctMemoryFlag.accessAll()),
                    () -> self.allocate(UctAllocationRequest.of(1)), () -> self.queryMemory(memory, FIELDS),
                    () -> self.detectMemoryType(memory), registered::packKey, registered::close,
                    () -> registered.advise(0, 1, UctMemoryAdvice.NORMAL), key::pointer, key::close, heap::packKey,
                    heap::close, () -> heap.advise(0, 1, UctMemoryAdvice.NORMAL),
                    () -> self.isSockaddrAccessible(new InetSocketAddress(1), UctSockaddrAccessibility.LOCAL))) {
                assertThat(thrownOnAnotherThread(call)).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("belongs to the thread " + Thread.currentThread().getName());
            }
            heap.segment().fill((byte) 1);
        }
    }

    @Test
    void numbersMemoryTypesAsVersionDoes() {
        assertThat(MemoryTypes.of(5, new UcxVersion(1, 13, 1))).isEqualTo(UcxMemoryType.UNKNOWN);
        assertThat(MemoryTypes.of(5, new UcxVersion(1, 16, 0))).isEqualTo(UcxMemoryType.RDMA);
        assertThat(MemoryTypes.of(6, new UcxVersion(1, 16, 0))).isEqualTo(UcxMemoryType.UNKNOWN);
        assertThat(MemoryTypes.of(8, new UcxVersion(1, 17, 0))).isEqualTo(UcxMemoryType.ZE_MANAGED);
        assertThat(MemoryTypes.of(9, new UcxVersion(1, 20, 0))).isEqualTo(UcxMemoryType.UNKNOWN);
        assertThat(MemoryTypes.of(9, new UcxVersion(1, 21, 0))).isEqualTo(UcxMemoryType.GAUDI);
        assertThat(MemoryTypes.of(10, new UcxVersion(1, 23, 0))).isEqualTo(UcxMemoryType.UNKNOWN);
        assertThat(MemoryTypes.of(-1, new UcxVersion(1, 23, 0))).isEqualTo(UcxMemoryType.UNKNOWN);
        assertThat(MemoryTypes.of(0)).isEqualTo(UcxMemoryType.HOST);
        assertThat(UctDeviceType.of(3)).isEqualTo(UctDeviceType.SELF);
        assertThat(UctDeviceType.of(4)).isEqualTo(UctDeviceType.UNKNOWN);
    }

    @Test
    void knowsTheMachinesAddressesOnlyWhereDomainSays() {
        assumeTrue(!self.isSupported(UctMdOperation.SOCKADDR),
                "the self domain of this library answers for socket addresses");
        assertThatThrownBy(() -> self.isSockaddrAccessible(new InetSocketAddress("127.0.0.1", 1),
                UctSockaddrAccessibility.REMOTE))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("UCT_MD_FLAG_SOCKADDR");
    }
}

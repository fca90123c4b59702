package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.internal.memory.AddressReservation;
import io.reactorucx.core.internal.memory.AddressSpace;
import io.reactorucx.uct.internal.MemoryTypes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllocationTest extends Domains {

    private static final long PAGE = AddressSpace.PAGE_BYTES;
    private static final long SIZE = 3 * PAGE + 1;

    private static void use(UctAllocatedMemory memory) {
        MemorySegment segment = memory.segment();
        assertThat(memory.bytes()).isEqualTo(segment.byteSize()).isGreaterThanOrEqualTo(SIZE);
        assertThat(memory.address()).isEqualTo(segment.address());
        assertThat(memory.memoryType()).isEqualTo(UcxMemoryType.HOST);
        assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        segment.fill((byte) 7);
        assertThat(segment.get(ValueLayout.JAVA_BYTE, segment.byteSize() - 1)).isEqualTo((byte) 7);
    }

    /**
     * A free part of the address space: one that was mapped a moment ago, above all that the JVM reserves in small
     * pieces.
     */
    private static long freeAddress() {
        AddressReservation reservation =
                Objects.requireNonNull(AddressReservation.tryReserve(0x1000_0000_0000L, 1 << 20));
        reservation.release();
        return reservation.address();
    }

    @ParameterizedTest
    @EnumSource(names = {"HEAP", "MMAP"})
    void allocatesWithoutDomain(UctAllocationMethod method) {
        int before = UctAllocatedMemory.openAllocations();
        try (UctAllocatedMemory memory =
                UctAllocatedMemory.allocate(UctAllocationRequest.of(SIZE).withMethods(method).withName("mine"),
                List.of())) {
            use(memory);
            assertThat(memory.method()).isEqualTo(method);
            assertThat(memory.domain()).isEmpty();
            assertThat(memory.handle()).isZero();
            assertThat(UctAllocatedMemory.openAllocations()).isEqualTo(before + 1);
            assertThatThrownBy(memory::packKey).isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining(method.name());
            assertThatThrownBy(() -> memory.advise(0, 1, UctMemoryAdvice.NORMAL))
                    .isInstanceOf(UcxUnsupportedException.class);
        }
        assertThat(UctAllocatedMemory.openAllocations()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"THP", "HUGE"})
    void allocatesHugePagesWhereThereAreSome(UctAllocationMethod method) {
        UctAllocationRequest request = UctAllocationRequest.of(4L << 20).withMethods(method, UctAllocationMethod.MMAP);
        try (UctAllocatedMemory memory = UctAllocatedMemory.allocate(request, List.of())) {
            assertThat(memory.method()).isIn(method, UctAllocationMethod.MMAP);
            use(memory);
        }
    }

    @Test
    void knowsTheLengthThatTheHeapGaveAfterHugePagesWereTooLarge() {
        UctAllocationRequest request = UctAllocationRequest.of(100)
                .withMethods(UctAllocationMethod.THP, UctAllocationMethod.HEAP);
        try (UctAllocatedMemory memory = UctAllocatedMemory.allocate(request, List.of())) {
            assertThat(memory.method()).isEqualTo(UctAllocationMethod.HEAP);
            assertThat(memory.bytes()).isEqualTo(100);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv"})
    void allocatesByDomain(String name) {
        try (UctMemoryDomain domain = open(name);
                UctAllocatedMemory memory = domain.allocate(UctAllocationRequest.of(SIZE).withFlags(
                        Set.of(UctMemoryFlag.ACCESS_REMOTE_GET, UctMemoryFlag.LOCK, UctMemoryFlag.NONBLOCK,
                                UctMemoryFlag.HIDE_ERRORS)))) {
            use(memory);
            assertThat(memory.method()).isEqualTo(UctAllocationMethod.MD);
            assertThat(memory.domain()).containsSame(domain);
            assertThat(memory.handle()).isNotZero();
            assertThatThrownBy(() -> memory.advise(0, 1, UctMemoryAdvice.NORMAL))
                    .isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("uct_md_mem_advise");
        }
    }

    @Test
    void triesMethodsAndDomainsInTheirOrder() {
        try (UctMemoryDomain self = open("self"); UctMemoryDomain sysv = open("sysv");
                UctMemoryDomain posix = open("posix")) {
            UctAllocationRequest request = UctAllocationRequest.of(SIZE)
                    .withMethods(UctAllocationMethod.MD, UctAllocationMethod.HEAP);
            try (UctAllocatedMemory memory = UctAllocatedMemory.allocate(request, List.of(self, sysv, posix))) {
                assertThat(memory.domain()).containsSame(sysv);
            }
            try (UctAllocatedMemory memory = self.allocate(request)) {
                assertThat(memory.method()).isEqualTo(UctAllocationMethod.HEAP);
                try (UctRegisteredMemory registered = self.register(memory.segment(), UctMemoryFlag.accessAll())) {
                    assertThat(registered.packKey().length()).isEqualTo(SIZE);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv"})
    void allocatesByDomainAtFixedAddress(String name) {
        long address = freeAddress();
        try (UctMemoryDomain domain = open(name)) {
            try (UctAllocatedMemory memory = domain.allocate(UctAllocationRequest.of(SIZE).withFixedAddress(address))) {
                assertThat(memory.address()).isEqualTo(address);
                use(memory);
                assertThatThrownBy(() -> domain.allocate(UctAllocationRequest.of(1).withFixedAddress(address)))
                        .isInstanceOfSatisfying(UcxException.class,
                                e -> assertThat(e.status()).isEqualTo(UcxStatus.ALREADY_EXISTS));
                use(memory.segment());
            }
            assertFree(address, SIZE);
        }
    }

    private static void use(MemorySegment segment) {
        assertThat(segment.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
    }

    private static void assertFree(long address, long bytes) {
        AddressReservation reservation = AddressReservation.tryReserve(address, bytes);
        assertThat(reservation).as("0x%x is free again", address).isNotNull();
        reservation.release();
    }

    @Test
    void allocatesAtFixedAddressWithoutDomain() {
        long address = freeAddress();
        UctAllocationRequest request = UctAllocationRequest.of(SIZE)
                .withMethods(UctAllocationMethod.HEAP, UctAllocationMethod.MMAP).withFixedAddress(address);
        try (UctAllocatedMemory memory = UctAllocatedMemory.allocate(request, List.of())) {
            assertThat(memory.method()).isEqualTo(UctAllocationMethod.MMAP);
            assertThat(memory.address()).isEqualTo(address);
            use(memory);
        }
        assertFree(address, SIZE);
    }

    @Test
    void leavesNothingReservedWhenFixedAddressFails() {
        long address = freeAddress();
        UctAllocationRequest request = UctAllocationRequest.of(SIZE).withMethods(UctAllocationMethod.HEAP)
                .withFixedAddress(address);
        assertThatThrownBy(() -> UctAllocatedMemory.allocate(request, List.of())).isInstanceOf(UcxException.class)
                .hasMessageContaining("uct_mem_alloc");
        assertFree(address, SIZE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv"})
    void followsHintWhereThatIsPossible(String name) {
        long address = freeAddress();
        try (UctMemoryDomain domain = open(name);
                UctAllocatedMemory first = domain.allocate(UctAllocationRequest.of(SIZE).withAddressHint(address + 5));
                UctAllocatedMemory second = domain.allocate(UctAllocationRequest.of(SIZE).withAddressHint(address))) {
            assertThat(first.address()).isEqualTo(address);
            assertThat(second.address()).isNotEqualTo(address);
            use(first);
            use(second);
            use(first.segment());
        }
        try (UctAllocatedMemory heap = UctAllocatedMemory.allocate(
                UctAllocationRequest.of(SIZE).withMethods(UctAllocationMethod.HEAP).withAddressHint(address),
                List.of())) {
            use(heap);
        }
        assertFree(address, SIZE);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, PAGES_BELOW, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 47, (1L << 47) - 4096})
    void ignoresHintThatIsNoAddress(long hint) {
        try (UctMemoryDomain domain = open("sysv");
                UctAllocatedMemory memory = domain.allocate(UctAllocationRequest.of(SIZE).withAddressHint(hint))) {
            use(memory);
        }
    }

    private static final long PAGES_BELOW = 4096;

    @Test
    void refusesToReplaceMemoryThatIsInUse() {
        try (UctMemoryDomain sysv = open("sysv"); UctMemoryDomain posix = open("posix");
                UctAllocatedMemory used = posix.allocate(UctAllocationRequest.of(SIZE))) {
            for (UctMemoryDomain domain : List.of(sysv, posix)) {
                assertThatThrownBy(
                        () -> domain.allocate(UctAllocationRequest.of(SIZE).withFixedAddress(used.address())))
                        .isInstanceOf(UcxException.class).hasMessageContaining("not free at 0x");
                try (UctAllocatedMemory elsewhere =
                        domain.allocate(UctAllocationRequest.of(SIZE).withAddressHint(used.address()))) {
                    assertThat(elsewhere.address()).isNotEqualTo(used.address());
                }
            }
            use(used);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void refusesToAllocateNothing(long bytes) {
        assertThatThrownBy(() -> UctAllocationRequest.of(bytes)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytes " + bytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 60, Long.MAX_VALUE - 1, Long.MAX_VALUE})
    void reportsMemoryThatTheMachineDoesNotHave(long bytes) {
        try (UctMemoryDomain posix = open("posix"); UctMemoryDomain sysv = open("sysv")) {
            assertThatThrownBy(() -> posix.allocate(UctAllocationRequest.of(bytes))).isInstanceOf(UcxException.class)
                    .hasMessageContaining(bytes + " bytes").hasMessageContaining("at most");
            assertThatThrownBy(() -> sysv.allocate(UctAllocationRequest.of(bytes))).isInstanceOf(UcxException.class);
            UctAllocationRequest others = UctAllocationRequest.of(bytes)
                    .withMethods(UctAllocationMethod.MD, UctAllocationMethod.HEAP,
                    UctAllocationMethod.MMAP, UctAllocationMethod.HUGE, UctAllocationMethod.THP);
            assertThatThrownBy(() -> posix.allocate(others)).isInstanceOf(UcxException.class)
                    .hasMessageContaining("uct_mem_alloc");
            assertThatThrownBy(() -> posix.allocate(UctAllocationRequest.of(bytes).withFixedAddress(1L << 40)))
                    .isInstanceOf(UcxException.class);
        }
    }

    @Test
    void refusesBadRequests() {
        UctAllocationRequest request = UctAllocationRequest.of(1);
        assertThatThrownBy(request::withMethods).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("methods");
        assertThatThrownBy(() -> request.withMethods((UctAllocationMethod) null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> request.withFlags(Set.of(UctMemoryFlag.LOCK)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("flags [LOCK]").hasMessageContaining("ACCESS_LOCAL_READ");
        assertThatThrownBy(() -> request.withFlags(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("flags");
        for (long address : List.of(0L, -PAGE, 1L, PAGE + 1, Long.MIN_VALUE)) {
            assertThatThrownBy(() -> request.withFixedAddress(address)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("address 0x" + Long.toHexString(address));
        }
        assertThatThrownBy(() -> request.withMemoryType(UcxMemoryType.UNKNOWN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("memoryType");
        assertThatThrownBy(() -> request.withMemoryType(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("memoryType");
        assertThatThrownBy(() -> request.withName(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> UctAllocatedMemory.allocate(request, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("domains");
        assertThatThrownBy(() -> UctAllocatedMemory.allocate(null, List.of())).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("request");
        assertThatThrownBy(() -> UctAllocatedMemory.allocate(request, null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("domains");
    }

    @Test
    void refusesMemoryThatOnlyAcceleratorsHave() {
        try (UctMemoryDomain posix = open("posix")) {
            UctAllocationRequest cuda = UctAllocationRequest.of(1).withMemoryType(UcxMemoryType.CUDA);
            assertThatThrownBy(() -> posix.allocate(cuda)).isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("CUDA");
            assertThatThrownBy(() -> posix.allocate(cuda.withMethods(UctAllocationMethod.MMAP)))
                    .isInstanceOf(UcxException.class);
            assertThatThrownBy(() -> posix.allocate(cuda.withMethods(UctAllocationMethod.MD, UctAllocationMethod.MMAP)))
                    .isInstanceOf(UcxException.class);
            assumeTrue(!MemoryTypes.isKnown(UcxMemoryType.GAUDI), "the library knows all types of memory");
            assertThatThrownBy(() -> posix.allocate(cuda.withMemoryType(UcxMemoryType.GAUDI)))
                    .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("GAUDI");
        }
    }

    @Test
    void endsAccessWithClose() {
        try (UctMemoryDomain posix = open("posix")) {
            UctAllocatedMemory memory = posix.allocate(UctAllocationRequest.of(SIZE));
            MemorySegment segment = memory.segment();
            memory.close();
            memory.close();
            assertThat(memory.isClosed()).isTrue();
            assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(memory::packKey).isInstanceOf(UcxClosedException.class);
            assertThatThrownBy(() -> memory.advise(0, 1, UctMemoryAdvice.NORMAL))
                    .isInstanceOf(UcxClosedException.class);
            assertThatThrownBy(() -> memory.advise(0, 0, UctMemoryAdvice.NORMAL)).isInstanceOf(UcxException.class);
        }
    }
}

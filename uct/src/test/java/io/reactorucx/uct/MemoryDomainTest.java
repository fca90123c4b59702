package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The capabilities of each memory domain, and its refusals of what it does not support. */
@Tag("slow")
class MemoryDomainTest extends Domains {

    private final MemorySegment memory = Arena.ofAuto().allocate(4096);

    @ParameterizedTest
    @MethodSource("names")
    void answersWhatToolOfUcxPrints(String name) {
        Optional<Map<String, UcxInfo.Domain>> printed = UcxInfo.domains();
        assumeTrue(printed.isPresent(), "ucx_info is not installed");
        try (UctMemoryDomain domain = open(name)) {
            UcxInfo.Domain expected = printed.get().get(name);
            Map<UctMdOperation, Boolean> supported = new EnumMap<>(UctMdOperation.class);
            for (UctMdOperation operation : UctMdOperation.values()) {
                supported.put(operation, domain.isSupported(operation));
            }
            boolean allocates = expected.allocate.isPresent();
            assertThat(supported)
                    .isEqualTo(Map.of(UctMdOperation.ALLOCATE, allocates, UctMdOperation.ALLOCATE_FIXED, allocates,
                    UctMdOperation.REGISTER, expected.register.isPresent(), UctMdOperation.REMOTE_POINTER,
                    expected.remotePointer, UctMdOperation.ADVISE, false, UctMdOperation.QUERY_MEMORY, false,
                    UctMdOperation.DETECT_MEMORY_TYPE, false, UctMdOperation.SOCKADDR, false));
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void refusesWhatItCannotDo(String name) {
        try (UctMemoryDomain domain = open(name)) {
            if (!domain.isSupported(UctMdOperation.REGISTER)) {
                unsupported("uct_md_mem_reg", () -> domain.register(memory, UctMemoryFlag.accessAll()));
            }
            if (!domain.isSupported(UctMdOperation.ALLOCATE)) {
                unsupported("uct_mem_alloc", () -> domain.allocate(UctAllocationRequest.of(1)));
                unsupported("uct_mem_alloc",
                        () -> domain.allocate(UctAllocationRequest.of(1).withFixedAddress(1L << 40)));
            }
            unsupported("uct_md_mem_query",
                    () -> domain.queryMemory(memory, EnumSet.allOf(UctMemoryAttributes.Field.class)));
            unsupported("uct_md_detect_memory_type", () -> domain.detectMemoryType(memory));
            for (UctSockaddrAccessibility mode : UctSockaddrAccessibility.values()) {
                unsupported("uct_md_is_sockaddr_accessible",
                        () -> domain.isSockaddrAccessible(new InetSocketAddress("127.0.0.1", 1), mode));
            }
        }
    }

    private static void unsupported(String function, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(UcxUnsupportedException.class).hasMessageContaining(function);
    }

    @ParameterizedTest
    @MethodSource("names")
    void registersPacksAndUnpacks(String name) {
        try (UctMemoryDomain domain = open(name)) {
            if (!domain.isSupported(UctMdOperation.REGISTER)) {
                return;
            }
            for (Set<UctMemoryFlag> flags : List.of(UctMemoryFlag.accessAll(), UctMemoryFlag.accessRma(),
                    Set.of(UctMemoryFlag.ACCESS_LOCAL_READ, UctMemoryFlag.NONBLOCK, UctMemoryFlag.LOCK,
                            UctMemoryFlag.HIDE_ERRORS))) {
                UctRegisteredMemory registered = domain.register(memory, flags);
                try {
                    assertThat(registered.segment()).isEqualTo(memory);
                    assertThat(registered.bytes()).isEqualTo(4096);
                    assertThat(registered.domain()).isSameAs(domain);
                    assertThat(registered.handle()).isNotZero();
                    UctPackedKey packed = registered.packKey();
                    assertThat(packed.componentName()).isEqualTo(name);
                    assertThat(packed.address()).isEqualTo(memory.address());
                    assertThat(packed.length()).isEqualTo(4096);
                    assertThat(packed.key()).hasSize((int) domain.attributes().packedKeyBytes());
                    unsupported("uct_md_mem_advise", () -> registered.advise(0, 1, UctMemoryAdvice.WILLNEED));
                    try (UctRemoteKey key = domain.unpack(UctPackedKey.fromBytes(packed.toBytes()))) {
                        assertThat(key.packed()).isEqualTo(packed);
                        if (domain.isSupported(UctMdOperation.REMOTE_POINTER)) {
                            assertThat(key.pointer().address()).as("within one process").isEqualTo(memory.address());
                            registered.close();
                            assertThatThrownBy(key::pointer).isInstanceOf(UcxException.class)
                                    .hasMessageContaining("the key maps less");
                        } else {
                            unsupported("uct_rkey_ptr", key::pointer);
                        }
                    }
                } finally {
                    registered.close();
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void opensTwice(String name) {
        try (UctMemoryDomain second = open(name)) {
            UctMemoryDomain first = open(name);
            assertThat(first.attributes().flags()).isEqualTo(second.attributes().flags());
            first.close();
            assertThat(second.attributes().componentName()).isEqualTo(name);
        }
    }

    @Test
    void worksOnSeveralThreadsAtOnce() throws InterruptedException, ExecutionException {
        Callable<Long> work = () -> {
            long sum = 0;
            for (int i = 1; i <= 50; i++) {
                try (UctMemoryDomain domain = open(i % 2 == 0 ? "posix" : "sysv");
                        UctAllocatedMemory allocated = domain.allocate(UctAllocationRequest.of(8));
                        UctRemoteKey key = domain.unpack(allocated.packKey())) {
                    allocated.segment().set(ValueLayout.JAVA_LONG, 0, i);
                    sum += key.pointer().get(ValueLayout.JAVA_LONG, 0);
                }
            }
            return sum;
        };
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (Future<Long> sum : threads.invokeAll(List.of(work, work, work, work))) {
                assertThat(sum.get()).isEqualTo(50 * 51 / 2);
            }
        }
    }

    @Test
    void countsOpenDomains() {
        int before = UctMemoryDomain.openDomains();
        UctMemoryDomain domain = open("tcp");
        assertThat(UctMemoryDomain.openDomains()).isEqualTo(before + 1);
        domain.close();
        domain.close();
        assertThat(domain.isClosed()).isTrue();
        assertThat(UctMemoryDomain.openDomains()).isEqualTo(before);
    }

    @Test
    void refusesToCloseBeforeWhatWasMadeFromIt() {
        UctMemoryDomain domain = open("posix");
        UctAllocatedMemory allocated = domain.allocate(UctAllocationRequest.of(1));
        UctRemoteKey key = domain.unpack(allocated.packKey());
        assertThatThrownBy(domain::close).isInstanceOf(IllegalStateException.class).hasMessageContaining("posix")
                .hasMessageContaining("close the 2 ");
        key.close();
        assertThatThrownBy(domain::close).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("close the 1 ");
        assertThat(domain.isClosed()).isFalse();
        allocated.close();
        domain.close();
        try (UctMemoryDomain self = open("self");
                UctRegisteredMemory registered = self.register(memory, UctMemoryFlag.accessAll())) {
            assertThatThrownBy(self::close).isInstanceOf(IllegalStateException.class).hasMessageContaining("self");
            assertThat(registered.isClosed()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void refusesUseAfterClose(String name) {
        UctMemoryDomain domain = open(name);
        domain.close();
        UctPackedKey key = new UctPackedKey(name, 4096, 1, new byte[24]);
        for (Runnable call : List.<Runnable>of(domain::attributes, domain::resources,
                () -> domain.isSupported(UctMdOperation.ADVISE), () -> domain.register(memory,
                        UctMemoryFlag.accessAll()), () -> domain.allocate(UctAllocationRequest.of(1)),
                () -> domain.queryMemory(memory, EnumSet.allOf(UctMemoryAttributes.Field.class)),
                () -> domain.detectMemoryType(memory), () -> domain.isSockaddrAccessible(
                        new InetSocketAddress("127.0.0.1", 1), UctSockaddrAccessibility.LOCAL),
                () -> domain.unpack(key),
                () -> UctAllocatedMemory.allocate(UctAllocationRequest.of(1), List.of(domain)))) {
            assertThatThrownBy(call::run).isInstanceOf(UcxClosedException.class)
                    .hasMessageContaining("memory domain " + name);
        }
    }
}

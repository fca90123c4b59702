package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.testsupport.ChildJvm;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Operations that only memory domains of accelerators have, with a component written in C for the test, in a process of
 * its own.
 */
@Tag("slow")
class AcceleratorTest {

    @TempDir
    Path folder;

    @Test
    void doesWhatOnlyAcceleratorsDo() throws IOException, InterruptedException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        assumeTrue(!Ucx.version().isAtLeast(1, 14), "the component is made for UCX 1.13, this is " + Ucx.version());
        ChildJvm.Result result = ChildJvm.of(Program.class).arguments(compiled().toString()).run();
        assertThat(result.output()).endsWith("all done\n");
        assertThat(result.exitCode()).isZero();
    }

    private Path compiled() throws IOException, InterruptedException {
        try (InputStream source = AcceleratorTest.class.getResourceAsStream("accelerator.c")) {
            Files.copy(source, folder.resolve("accelerator.c"));
        }
        Path output = folder.resolve("output.txt");
        try {
            int exitCode = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", "accelerator.so", "accelerator.c",
                    "-l:libuct.so.0")
                    .directory(folder.toFile()).redirectErrorStream(true).redirectOutput(output.toFile()).start()
                    .waitFor();
            assumeTrue(exitCode == 0, () -> "no component without UCX's headers: " + output);
        } catch (IOException e) {
            assumeTrue(false, "no C compiler: " + e.getMessage());
        }
        return folder.resolve("accelerator.so");
    }

    /** The checks, run in a process that has the component. */
    static final class Program {

        private final MemorySegment memory = Arena.ofAuto().allocate(64);
        private final UctMemoryDomain domain;

        private Program(UctMemoryDomain domain) {
            this.domain = domain;
        }

        public static void main(String[] args) throws Throwable {
            Ucx.ensureAvailable();
            SymbolLookup library = SymbolLookup.libraryLookup(Path.of(args[0]), Arena.global());
            MethodHandle open = Linker.nativeLinker().downcallHandle(library.findOrThrow("accelerator_open"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT));
            UctComponent component = UctComponent.named("accelerator");
            assertThat(component.memoryDomainNames()).containsExactly("accelerator0", "accelerator1");
            assertThat(component.flags()).isEmpty();
            assertThat(component.config().toMap()).isEmpty();
            try (UctMemoryDomain second = component.open("accelerator1");
                    UctMemoryDomain domain = component.open("accelerator0")) {
                Program program = new Program(domain);
                program.attributes();
                program.registers();
                program.advises();
                program.recognisesMemory();
                program.knowsSocketAddresses();
                program.unpacks();
                assertThat((int) open.invokeExact()).isEqualTo(20000);
                assertThat(second.resources()).isEmpty();
            }
            assertThat((int) open.invokeExact()).isZero();
            System.out.println("all done");
        }

        private void attributes() {
            UctMdAttributes attributes = domain.attributes();
            assertThat(attributes.componentName()).isEqualTo("accelerator");
            assertThat(attributes.flags()).containsExactlyInAnyOrder(UctMdFlag.REG, UctMdFlag.ADVISE,
                    UctMdFlag.SOCKADDR, UctMdFlag.INVALIDATE, UctMdFlag.NEED_MEMH);
            assertThat(attributes.maxRegistrationBytes()).isEqualTo(1 << 20);
            assertThat(attributes.maxAllocationBytes()).isZero();
            assertThat(attributes.registrableTypes()).containsExactlyInAnyOrder(UcxMemoryType.HOST, UcxMemoryType.CUDA);
            assertThat(attributes.detectableTypes()).containsExactlyInAnyOrder(UcxMemoryType.CUDA,
                    UcxMemoryType.CUDA_MANAGED);
            assertThat(attributes.accessibleTypes()).containsExactlyInAnyOrder(UcxMemoryType.HOST,
                    UcxMemoryType.ROCM_MANAGED);
            assertThat(attributes.allocatableTypes()).isEmpty();
            assertThat(attributes.registrationCostSeconds()).isEqualTo(new UctLinearFunction(1e-6, 2e-9));
            assertThat(attributes.packedKeyBytes()).isEqualTo(8);
            assertThat(attributes.localCpus()).isEqualTo(BitSet.valueOf(new long[] {0xa, 1}));
            assertThat(domain.isSupported(UctMdOperation.ALLOCATE)).isFalse();
        }

        private void registers() {
            domain.register(memory, UctMemoryFlag.accessAll()).close();
            assertThatThrownBy(() -> domain.register(memory.asSlice(0, 13), UctMemoryFlag.accessAll()))
                    .isInstanceOfSatisfying(UcxException.class,
                            e -> assertThat(e.status()).isEqualTo(UcxStatus.IO_ERROR));
            assertThatThrownBy(() -> domain.register(Arena.ofAuto().allocate((1 << 20) + 1), UctMemoryFlag.accessAll()))
                    .isInstanceOfSatisfying(UcxException.class,
                            e -> assertThat(e.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT))
                    .hasMessageContaining("1048577 bytes");
        }

        private void advises() {
            try (UctRegisteredMemory registered = domain.register(memory, UctMemoryFlag.accessAll())) {
                registered.advise(8, 56, UctMemoryAdvice.WILLNEED);
                assertThatThrownBy(() -> registered.advise(8, 56, UctMemoryAdvice.NORMAL))
                        .isInstanceOfSatisfying(UcxException.class,
                                e -> assertThat(e.status()).isEqualTo(UcxStatus.BUSY));
            }
        }

        private void recognisesMemory() {
            assertThat(domain.detectMemoryType(memory)).isEqualTo(UcxMemoryType.CUDA);
            assertThatThrownBy(() -> domain.detectMemoryType(memory.asSlice(0, 13))).isInstanceOf(UcxException.class)
                    .hasMessageContaining("INVALID_ADDR");
            Set<UctMemoryAttributes.Field> all = EnumSet.range(UctMemoryAttributes.Field.MEM_TYPE,
                    UctMemoryAttributes.Field.ALLOC_LENGTH);
            assertThat(domain.queryMemory(memory, all))
                    .isEqualTo(new UctMemoryAttributes(UcxMemoryType.CUDA_MANAGED, OptionalInt.of(200),
                    memory.address() - 100, 264, null));
            assertThat(domain.queryMemory(memory, Set.of(UctMemoryAttributes.Field.BASE_ADDRESS))).isEqualTo(
                    new UctMemoryAttributes(UcxMemoryType.UNKNOWN, OptionalInt.empty(), memory.address() - 100, 0,
                            null));
            assertThatThrownBy(() -> domain.queryMemory(memory.asSlice(0, 13), all)).isInstanceOf(UcxException.class)
                    .hasMessageContaining("INVALID_ADDR");
            for (UctMemoryAttributes.Field field : EnumSet.complementOf(EnumSet.copyOf(all))) {
                assertThatThrownBy(() -> domain.queryMemory(memory, Set.of(field)))
                        .isInstanceOf(UcxUnsupportedException.class)
                        .hasMessageContaining("dmabuf");
            }
        }

        private void knowsSocketAddresses() {
            InetSocketAddress here = new InetSocketAddress("127.0.0.1", 1234);
            InetSocketAddress there = new InetSocketAddress(InetAddress.ofLiteral("2001:db8::1"), 1234);
            assertThat(domain.isSockaddrAccessible(here, UctSockaddrAccessibility.LOCAL)).isTrue();
            assertThat(domain.isSockaddrAccessible(here, UctSockaddrAccessibility.REMOTE)).isFalse();
            assertThat(domain.isSockaddrAccessible(there, UctSockaddrAccessibility.LOCAL)).isFalse();
            assertThat(domain.isSockaddrAccessible(there, UctSockaddrAccessibility.REMOTE)).isTrue();
        }

        private void unpacks() {
            try (UctRegisteredMemory registered = domain.register(memory, UctMemoryFlag.accessRma())) {
                UctPackedKey packed = registered.packKey();
                assertThat(packed.key()).hasSize(8);
                try (UctRemoteKey key = domain.unpack(packed)) {
                    assertThat(key.value()).isEqualTo(memory.address());
                    assertThatThrownBy(key::pointer).isInstanceOf(UcxUnsupportedException.class)
                            .hasMessageContaining("RKEY_PTR");
                }
                UctPackedKey part = new UctPackedKey("accelerator", 1, 1, new byte[7]);
                assertThatThrownBy(() -> domain.unpack(part)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("at least 8");
            }
        }
    }
}

package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.internal.address.PeerAddresses;
import io.reactorucx.core.internal.address.TransportAddress;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses that peers send, before UCX connects to them. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"default", "tcp", "posix", "sysv"})
class PeerAddressesTest {

    private static final int FUZZED = 400;
    private static final String SEED = "1";
    private static final String FIRST_PATTERN = "workerAddress of \\d+ bytes: ";

    @Parameter
    private String transports;
    private UcpContext context;
    private UcpWorker worker;
    private UcpWorker peer;

    @BeforeEach
    void open() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        UcpConfig.Builder config = UcpConfig.builder().features(UcpFeature.AM)
                .setting("POSIX_ERROR_HANDLING", "y").setting("SYSV_ERROR_HANDLING", "y");
        if (!transports.equals("default")) {
            config.transports(transports);
        }
        context = UcpContext.create(config.build());
        worker = context.createWorker(UcpWorkerConfig.of("worker"));
        peer = context.createWorker(UcpWorkerConfig.of("peer"));
    }

    @AfterEach
    void close() {
        if (context != null) {
            if (!peer.isClosed()) {
                peer.close();
            }
            worker.close();
            context.close();
        }
    }

    @Test
    void whatItOffersHasTheNamesOfTheContext() {
        List<String> names = context.transports().stream().map(each -> each.split("/", 2)[0]).distinct().toList();

        List<String> offered = worker.peerAddress(peer.address()).transports();

        assertThat(offered).isNotEmpty().doesNotHaveDuplicates().isSubsetOf(names);
        if (!transports.equals("default")) {
            assertThat(offered).contains(transports);
        }
    }

    private void assertRefused(byte[] address, String why) {
        assertThatIllegalArgumentException().isThrownBy(() -> worker.peerAddress(address)).withMessageMatching(
                FIRST_PATTERN + why);
    }

    /** Returns the address of the peer with another number, at a distance from the start of each transport. */
    private byte[] with(float value, int distance) {
        byte[] address = peer.address();
        ByteBuffer bytes = ByteBuffer.wrap(address).order(ByteOrder.nativeOrder());
        TransportAddress part = TransportAddress.parse(address).getFirst();
        for (int at = 0; at < address.length - 12; at++) {
            if (bytes.getFloat(at) == part.overhead() && bytes.getFloat(at + 4) == part.bandwidth()) {
                bytes.putFloat(at + distance, value);
                return address;
            }
        }
        throw new AssertionError("no transport in " + Arrays.toString(address));
    }

    @Test
    void understandsItsOwn() {
        List<TransportAddress> parts = TransportAddress.parse(worker.address());

        assertThat(parts).isNotEmpty().allSatisfy(part -> {
            assertThat(part.bandwidth()).isPositive();
            assertThat(part.flags() & TransportAddress.CONNECTS_TO_ADDRESS).isNotZero();
        });
        if (!transports.equals("default")) {
            assertThat(parts).anyMatch(part -> part.is(transports));
        }
        assertThatCode(() -> worker.peerAddress(worker.address())).doesNotThrowAnyException();
        assertThatCode(() -> worker.peerAddress(peer.address())).doesNotThrowAnyException();
    }

    @Test
    void refusesWhatIsCutOffOrGoesOn() {
        byte[] address = peer.address();
        for (int length = 9; length < address.length; length++) {
            byte[] cut = Arrays.copyOf(address, length);
            assertRefused(cut, "it is cut off");
        }
        assertRefused(Arrays.copyOf(address, address.length + 3), "3 bytes behind its end");
    }

    @Test
    void refusesTheOtherVersion() {
        byte[] address = peer.address();
        address[0] |= 1;
        assertRefused(address, "version 2, this worker has version 1: .*");
    }

    @ParameterizedTest
    @ValueSource(floats = {-1, Float.NaN, Float.POSITIVE_INFINITY, -Float.MIN_VALUE, Float.MAX_VALUE})
    void refusesNumbersThatUcxCannotCompare(float value) {
        assertRefused(with(value, 0), "a transport with an overhead of .*");
        assertRefused(with(value, 8), "a transport with an overhead of .*");
        if (!(Math.abs(value) <= 1)) {
            assertRefused(with(value, 4), "a transport with an overhead of .*");
        }
        assertRefused(with(0, 4), "a transport with an overhead of .* a bandwidth of 0.0 bytes/s .*");
    }

    private static byte[] numbered(byte[] address, long number) {
        byte[] changed = address.clone();
        ByteBuffer.wrap(changed).order(ByteOrder.nativeOrder()).putLong(1, number);
        return changed;
    }

    /** UCX would make endpoints of this process to itself, of which nothing knows. */
    @ParameterizedTest
    @ValueSource(longs = {1, -1})
    void refusesWhatIsOfThisProcessUnderAnotherNumber(long number) {
        assertRefused(numbered(worker.address(), number), "it names \\w+ of this process, and has the number of no .*");
        assertRefused(numbered(peer.address(), number), "it names \\w+ of this process, and has the number of no .*");
    }

    @Test
    void refusesTheNumberOfAWorkerOfThisProcessWithAnotherAddress() {
        assertRefused(numbered(peer.address(), UcpWorker.uid(worker.address())),
                "it has the number of a worker of this process, and another address");
    }

    @Test
    void takesTheNumberAgainWhenTheWorkerOfThisProcessHasClosed() {
        byte[] address = peer.address();
        assertThat(worker.peerAddress(address).isOfThisProcess()).isTrue();
        assertThat(worker.peerAddress(peer.networkAddress()).isOfThisProcess()).isTrue();
        peer.close();

        if (transports.equals("tcp")) {
            // Any process can have the port now.
            assertThat(worker.peerAddress(address).isOfThisProcess()).isFalse();
        } else {
            assertThatThrownBy(() -> worker.peerAddress(address)).as("its memory is gone")
                    .isInstanceOfAny(IllegalArgumentException.class, UcxException.class);
        }
    }

    @Test
    void tellsTheProcessWhoseSharedMemoryAnAddressNames() {
        assumeTrue(!transports.equals("tcp"), "tcp names no process");
        try (ChildJvm other = ChildJvm.of(AddressProgram.class).arguments(transports).start()) {
            byte[] address = HexFormat.of().parseHex(other.awaitLine(AddressProgram.ADDRESS).split(" ")[1]);

            UcpPeerAddress checked = worker.peerAddress(address);

            assertThat(checked.process()).hasValue((int) other.handle().pid());
            assertThat(checked.isOfThisProcess()).isFalse();
            assertThat(checked.worker()).isEqualTo(UcpWorker.uid(address));
            UcpPeerAddress without = checked.withoutSharedMemory();
            assertThat(without.process()).isEmpty();
            assertThat(TransportAddress.parse(without.bytes())).noneMatch(PeerAddresses::isOfHost);
            assertThat(UcpWorker.uid(without.bytes())).isEqualTo(checked.worker());
        }
    }

    @Test
    void refusesASecondAddressOfAWorkerToWhichThereAreEndpoints() {
        try (ChildJvm other = ChildJvm.of(AddressProgram.class).arguments(transports).start();
                ChildJvm third = ChildJvm.of(AddressProgram.class).arguments(transports).start()) {
            byte[] address = HexFormat.of().parseHex(other.awaitLine(AddressProgram.ADDRESS).split(" ")[1]);
            byte[] ofThird = HexFormat.of().parseHex(third.awaitLine(AddressProgram.ADDRESS).split(" ")[1]);
            UcpEndpoint endpoint = worker.connect(address, new EndpointOptions(ErrorMode.PEER, "other",
                    (failed, status) -> { }));

            assertRefused(numbered(ofThird, UcpWorker.uid(address)),
                    "it has the number of a worker to which there are endpoints by another address");
            assertThatCode(() -> worker.peerAddress(address)).doesNotThrowAnyException();
            assertThatCode(() -> worker.peerAddress(ofThird)).doesNotThrowAnyException();

            endpoint.close(CloseMode.FORCE, (status, length, tag) -> { });
            // The peer does nothing, and its end is what UCX waits for.
            other.signal("KILL");
            await().pollInSameThread().until(() -> {
                worker.progress();
                return worker.endpoints().isEmpty() && worker.parkedEndpoints().count() == 0 && worker.inFlight() == 0;
            });
            assertThatCode(() -> worker.peerAddress(numbered(ofThird, UcpWorker.uid(address))))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void leavesDevicesOut() {
        UcpPeerAddress all = worker.peerAddress(peer.address());
        List<TransportAddress> parts = TransportAddress.parse(all.bytes());

        UcpPeerAddress without = all.withoutTcp(Set.copyOf(all.tcpAddresses()));

        assertThat(without.tcpAddresses()).isEmpty();
        assertThat(TransportAddress.parse(without.bytes())).containsExactlyElementsOf(
                parts.stream().filter(part -> !part.is("tcp")).toList());
        assertThat(without.namesTransports()).isEqualTo(!transports.equals("tcp"));
        assertThat(all.withoutTcp(Set.of())).isSameAs(all);
        assertThat(TransportAddress.parse(all.withoutSharedMemory().bytes())).containsExactlyElementsOf(
                parts.stream().filter(part -> !PeerAddresses.isOfHost(part)).toList());
    }

    /** In a process of its own, which such addresses ended. */
    @Test
    void noAddressEndsTheProcess() {
        try (ChildJvm process = ChildJvm.of(AddressFuzz.class).environment("MALLOC_PERTURB_", "90")
                .environment("UCX_LOG_LEVEL", "fatal")
                .arguments(transports, SEED, String.valueOf(FUZZED)).start()) {
            ChildJvm.Result result = process.result();

            assertThat(result.exitCode()).as(result.output()).isZero();
            assertThat(result.output()).containsPattern(AddressFuzz.DONE + "refused=[1-9]\\d* taken=[1-9]");
        }
    }
}

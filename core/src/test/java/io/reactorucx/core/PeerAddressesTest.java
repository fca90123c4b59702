package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses that peers send, before UCX connects to them. */
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
        UcpConfig.Builder config = UcpConfig.builder().features(UcpFeature.AM);
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
            peer.close();
            worker.close();
            context.close();
        }
    }

    private PeerAddresses checks() {
        return new PeerAddresses(worker::address);
    }

    private void assertRefused(byte[] address, String why) {
        assertThatIllegalArgumentException().isThrownBy(() -> checks().check(address)).withMessageMatching(
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
        assertThatCode(() -> checks().check(worker.address())).doesNotThrowAnyException();
        assertThatCode(() -> checks().check(peer.address())).doesNotThrowAnyException();
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

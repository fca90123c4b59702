package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.security.EncryptionConfig;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.security.TlsConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** Somebody who records what goes over the network, or reads shared memory, and looks for what was sent. */
class RecorderTest extends SecuredPeers {

    private static final byte[] SECRET = "what nobody shall read ".getBytes(StandardCharsets.UTF_8);
    private static final int[] SIZES = {1, 10, 500, 20_000, 100_000};

    @TempDir
    Path directory;

    private void over(String... transports) {
        clientResources.disposeNow();
        serverResources.disposeNow();
        serverResources = resources(transports);
        clientResources = resources(transports);
    }

    /** Buffers are not of shared memory, where the application itself would write what it sends. */
    private static UcxResources resources(String... transports) {
        return UcxResources.builder().transports(transports).sharedBuffers(false).ringBytes(1 << 18).build();
    }

    private static byte[] secrets(int atLeast) {
        byte[] secrets = new byte[Math.ceilDiv(atLeast, SECRET.length) * SECRET.length];
        for (int at = 0; at < secrets.length; at += SECRET.length) {
            System.arraycopy(SECRET, 0, secrets, at, SECRET.length);
        }
        return secrets;
    }

    private static TlsConfig with(TlsConfig tls, EncryptionMode mode) {
        return tls.withEncryption(EncryptionConfig.DEFAULT.withMode(mode));
    }

    private UcxConnection connect(EncryptionMode mode) {
        return to(bind(with(ofServer(), mode))).secure(with(ofClient(), mode)).connectNow();
    }

    /** Requests, active messages and streams of all sizes. */
    private void exchange(UcxConnection client) {
        UcxConnection served = served();
        CompletableFuture<List<byte[]>> received = client.inbound().receiveByteArrays().take(SIZES.length)
                .collectList().toFuture();
        served.outbound().sendByteArrays(Flux.fromStream(IntStream.of(SIZES).mapToObj(RecorderTest::secrets)))
                .block(Waits.PATIENCE);
        assertThat(received.orTimeout(20, TimeUnit.SECONDS).join()).hasSize(SIZES.length);
        for (int size : SIZES) {
            byte[] secret = secrets(size);
            assertThat(client.requester().requestResponse(secret).block(Waits.PATIENCE)).isEqualTo(secret);
            Inbox inbox = Inbox.of(served, 7);
            CompletableFuture<Void> sent = client.activeMessages().send(7, secret).toFuture();
            UcxBuffer fetched = inbox.next().fetch(serverResources.buffers()).block(Waits.PATIENCE);
            assertThat(Bytes.array(fetched.segment())).isEqualTo(secret);
            fetched.release();
            sent.orTimeout(20, TimeUnit.SECONDS).join();
            inbox.cancel();
        }
    }

    @ParameterizedTest
    @EnumSource(EncryptionMode.class)
    void networkShowsNothing(EncryptionMode mode) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/tcpdump")), "there is no tcpdump");
        over("tcp");
        Path file = directory.resolve("recorded");
        Process recorder = new ProcessBuilder("tcpdump", "-i", "lo", "-U", "-B", "65536", "-Z", "root", "-w",
                file.toString(), "tcp").start();
        try (BufferedReader said = recorder.errorReader()) {
            String line = said.readLine();
            while (line != null && !line.contains("listening on")) {
                line = said.readLine();
            }
            assumeTrue(line != null, "tcpdump may not record here");
            exchange(connect(mode));
            // Each byte was sent at least once in each direction.
            Waits.soon().until(() -> Files.size(file) > 2L * IntStream.of(SIZES).sum());
        } finally {
            recorder.destroy();
            assertThat(recorder.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
        assertFound(mode, occurrences(file, SECRET));
    }

    private static void assertFound(EncryptionMode mode, int count) {
        if (mode == EncryptionMode.OFF) {
            assertThat(count).as("occurrences, where nothing is encrypted").isGreaterThan(1000);
        } else {
            assertThat(count).as("occurrences").isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(value = EncryptionMode.class, names = {"OFF", "REQUIRED"})
    void sharedMemoryShowsNothing(EncryptionMode mode) throws IOException {
        over("posix", "tcp");
        exchange(connect(mode));

        int count = 0;
        for (Path file : sharedFiles()) {
            count += occurrences(file, SECRET);
        }
        assertFound(mode, count);
    }

    /** The files of shared memory that this process has open, and those of UCX. */
    private static List<Path> sharedFiles() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd")); Stream<Path> named = Files.list(
                Path.of("/dev/shm"))) {
            open.filter(RecorderTest::isShared).forEach(files::add);
            named.filter(Files::isReadable).filter(Files::isRegularFile).forEach(files::add);
        }
        assertThat(files).isNotEmpty();
        return files;
    }

    private static boolean isShared(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("/memfd:") || target.startsWith("/dev/shm");
        } catch (IOException e) {
            return false;
        }
    }

    private static int occurrences(Path file, byte[] wanted) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] all = in.readAllBytes();
            int count = 0;
            for (int at = 0; at <= all.length - wanted.length; at++) {
                int same = 0;
                while (same < wanted.length && all[at + same] == wanted[same]) {
                    same++;
                }
                if (same == wanted.length) {
                    count++;
                }
            }
            return count;
        } catch (NoSuchFileException e) {
            return 0; // Closed in the meantime.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void searchFindsWhatIsThere() throws IOException {
        Path file = Files.write(directory.resolve("written"), secrets(3 * SECRET.length));
        assertThat(occurrences(file, SECRET)).isEqualTo(3);
    }
}

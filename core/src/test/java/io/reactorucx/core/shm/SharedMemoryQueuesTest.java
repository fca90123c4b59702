package io.reactorucx.core.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.internal.segment.SharedMemoryQueue;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The queue of a process that lives is left alone, whatever process a peer has named. */
@Tag("slow")
class SharedMemoryQueuesTest {

    private static final ProcessIdentity SELF = ProcessIdentity.self();
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path LAST_ID = Path.of("/proc/sys/kernel/ns_last_pid");
    private static final int ATTEMPTS = 200;
    /** As UCX lays a queue of 64 elements out. */
    private static final long QUEUE_BYTES = 3 * 4096;
    private static final int ADDRESS_LENGTH_AT = 8;
    private static final int ADDRESS_FAMILY_AT = 12;
    private static final int OWNER_AT = 136;

    private UcpContext context;
    private SharedMemoryQueues queues;
    private Path file;
    private Arena mapping;
    private Process process;

    @BeforeEach
    void start() throws IOException {
        context = UcpContext.create(UcpConfig.builder().transports("posix").build());
        queues = new SharedMemoryQueues(context);
        process = new ProcessBuilder("cat").start();
    }

    @AfterEach
    void end() throws IOException {
        process.destroyForcibly();
        if (mapping != null) {
            mapping.close();
            Files.delete(file);
        }
        context.close();
    }

    private static ProcessIdentity identity(Process of) {
        return new ProcessIdentity(SELF.namespace(), (int) of.pid());
    }

    /** Maps what looks like the queue of a process to which this one sends. */
    private void mapQueueOf(Process owner) throws IOException {
        file = Files.createTempFile(SHARED_MEMORY, "ucx_shm_posix_test", "");
        mapping = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment queue = channel.map(FileChannel.MapMode.READ_WRITE, 0, QUEUE_BYTES, mapping);
            queue.set(ValueLayout.JAVA_INT, ADDRESS_LENGTH_AT, 8);
            queue.set(ValueLayout.JAVA_SHORT, ADDRESS_FAMILY_AT, (short) 1);
            queue.set(ValueLayout.JAVA_INT, OWNER_AT, (int) owner.pid());
        }
        assertThat(isDiscarded()).isFalse();
    }

    private boolean isDiscarded() throws IOException {
        return SharedMemoryQueue.mapped().stream().filter(queue -> queue.owner() == process.pid()).findFirst()
                .orElseThrow().isDiscarded();
    }

    private void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** Starts a process that gets the id of one that has ended, as happens by itself when the ids have come round. */
    private void startAnotherWithItsId() throws IOException {
        assumeThat(LAST_ID).as("only root may choose the next id").isWritable();
        long wanted = process.pid();
        for (int i = 0; i < ATTEMPTS && !process.isAlive(); i++) {
            Files.writeString(LAST_ID, String.valueOf(wanted - 1));
            Process next = new ProcessBuilder("cat").start();
            if (next.pid() == wanted) {
                process = next;
            } else {
                next.destroyForcibly();
            }
        }
        assumeThat(process.isAlive()).as("a process with the id " + wanted + " was started").isTrue();
    }

    @Test
    void queueOfAProcessThatHasDiedIsEmptied() throws IOException, InterruptedException {
        mapQueueOf(process);
        queues.peerLost(identity(process), identity(process).startedAt());
        queues.repair();
        assertThat(isDiscarded()).as("the connection was lost, the process lives").isFalse();

        kill();
        queues.repair();

        assertThat(isDiscarded()).isTrue();
    }

    /** The peer has named a process of which it is none. */
    @Test
    void queueOfALivingProcessWithTheIdOfADeadOneIsNot() throws IOException, InterruptedException {
        queues.peerLost(identity(process), identity(process).startedAt());
        kill();
        queues.repair();
        startAnotherWithItsId();
        mapQueueOf(process);

        queues.repair();

        assertThat(isDiscarded()).isFalse();
    }

    @Test
    void queueOfALivingProcessIsNotWhenAnEarlierOneWithItsIdIsLost() throws IOException {
        mapQueueOf(process);

        queues.peerLost(identity(process), OptionalLong.of(identity(process).startedAt().orElseThrow() - 1));
        queues.repair();

        assertThat(isDiscarded()).isFalse();
    }

    @Test
    void processThatWasNotSeenIsNotMissed() throws IOException, InterruptedException {
        mapQueueOf(process);
        kill();

        queues.peerLost(identity(process), identity(process).startedAt());

        assertThat(queues.repair()).isFalse();
        assertThat(isDiscarded()).isFalse();
    }
}

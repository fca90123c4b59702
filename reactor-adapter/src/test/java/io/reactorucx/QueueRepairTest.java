package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.internal.process.ProcessState;
import io.reactorucx.core.internal.segment.SharedMemoryQueue;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A process dies between the two steps of a message over shared memory: it has taken an element of the receiver's
 * queue, and has not written it. The test takes the first step in its place, since the time between the two is too
 * short to kill it then.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class QueueRepairTest implements NeedsUcx {

    private static final String[] TRANSPORTS = {"posix", "tcp"};

    private UcxResources resources;
    private EchoProcess server;

    @BeforeEach
    void connect() {
        resources = UcxResources.builder().transports(TRANSPORTS).build();
        server = new EchoProcess(TRANSPORTS);
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    private static SharedMemoryQueue ownQueue() throws IOException {
        List<SharedMemoryQueue> own = SharedMemoryQueue.mapped().stream()
                .filter(queue -> queue.owner() == ProcessState.self()).toList();
        assertThat(own).hasSize(1);
        return own.getFirst();
    }

    /** Takes the next element of a queue, whose number the queue begins with. */
    private static void takeElement(SharedMemoryQueue queue) throws IOException {
        try (RandomAccessFile memory = new RandomAccessFile("/proc/self/mem", "rw")) {
            ByteBuffer head = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            memory.getChannel().read(head, queue.address());
            head.putLong(0, (head.getLong(0) & Long.MAX_VALUE) + 1).rewind();
            memory.getChannel().write(head, queue.address());
        }
    }

    private static void assertEchoes(UcxConnection connection) {
        Inbox inbox = Inbox.of(connection, EchoServer.ECHOED);
        MemorySegment payload = Bytes.pattern(1, 100);
        connection.activeMessages().send(EchoServer.ECHO, MemorySegment.NULL, payload).block(Waits.PATIENCE);
        Bytes.assertSame(Bytes.of(inbox.next()), payload);
    }

    @Test
    void messagesOfOthersArriveAfterASenderDiedAmidOne() throws IOException {
        assertEchoes(server.client(resources).connectNow());
        SharedMemoryQueue queue = ownQueue();
        takeElement(queue);
        assertThat(ownQueue().firstUnwritten()).as("the element that the receiver waits for").isNotNegative();

        server.kill();

        try (EchoProcess other = new EchoProcess(TRANSPORTS)) {
            UcxConnection connection = other.client(resources).connectNow();
            assertEchoes(connection);
            connection.disposeNow();
        }
        assertThat(ownQueue().firstUnwritten()).isEqualTo(-1);
    }
}

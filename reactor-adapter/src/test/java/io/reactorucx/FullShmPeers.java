package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.message.ActiveMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/** A process of {@link SharedMemoryFullTest}: two connected sides go on to exchange large messages when it is full. */
final class FullShmPeers {

    static final String FULL = "full ";
    static final String MOVED = "moved ";
    static final String OFFERED = "offered ";
    static final int MESSAGES = 200;

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final int ID = 1;
    private static final int IN_FLIGHT = 8;

    private FullShmPeers() {
    }

    /**
     * The process.
     *
     * @param transports the transports
     */
    public static void main(String[] transports) throws IOException {
        UcxResources there = UcxResources.builder().transports(transports).build();
        UcxResources here = UcxResources.builder().transports(transports).build();
        Inbox[] inbox = new Inbox[1];
        UcxBoundServer server = UcxServer.create(there).handle(connection -> {
            inbox[0] = Inbox.of(connection, ID);
            return Mono.never();
        }).bindNow();
        UcxConnection connection = UcxClient.create(here).remoteAddress("127.0.0.1", server.port()).connectNow();
        // The first messages tell the other side of the slabs.
        List<UcxBuffer> leases = leases(here);
        for (int i = 0; i < MESSAGES && here.buffers().offeredMessages() < IN_FLIGHT; i++) {
            if (!exchange(connection, inbox[0], leases, i)) {
                throw new IllegalStateException("the messages were not moved before it was full");
            }
        }
        fill();
        System.out.println(FULL + SHARED_MEMORY.toFile().getUsableSpace() + " bytes");

        long before = here.buffers().offeredMessages();
        int moved = 0;
        for (int i = 0; i < MESSAGES; i += IN_FLIGHT) {
            moved += exchange(connection, inbox[0], leases, i) ? IN_FLIGHT : 0;
        }
        System.out.println(MOVED + moved + " of " + MESSAGES);
        System.out.println(OFFERED + (here.buffers().offeredMessages() - before));
        leases.forEach(UcxBuffer::release);
        here.disposeNow();
        there.disposeNow();
    }

    private static List<UcxBuffer> leases(UcxResources resources) {
        List<UcxBuffer> leases = new ArrayList<>();
        for (int i = 0; i < IN_FLIGHT; i++) {
            leases.add(resources.buffers().acquire(Bytes.MIB));
        }
        return leases;
    }

    /** Sends all leases at once, and returns whether each arrived with its content. */
    private static boolean exchange(UcxConnection connection, Inbox inbox, List<UcxBuffer> leases, int number) {
        List<PendingOperation> sent = new ArrayList<>();
        for (int i = 0; i < leases.size(); i++) {
            Bytes.fill(leases.get(i).segment(), number + i);
            sent.add(PendingOperation.of(connection.activeMessages().send(ID, MemorySegment.NULL, leases.get(i),
                    AmProtocol.RENDEZVOUS)));
        }
        boolean same = true;
        for (int i = 0; i < leases.size(); i++) {
            ActiveMessage message = inbox.next();
            same &= Bytes.of(message).mismatch(Bytes.pattern(number + i, Bytes.MIB)) < 0;
        }
        sent.forEach(PendingOperation::assertDone);
        return same;
    }

    private static void fill() throws IOException {
        byte[] page = new byte[4 << 10];
        try (OutputStream file = Files.newOutputStream(SHARED_MEMORY.resolve("filler"))) {
            while (SHARED_MEMORY.toFile().getUsableSpace() > 0) {
                file.write(page);
            }
        }
    }
}

package io.reactorucx.core;

import static org.awaitility.Awaitility.await;

import io.reactorucx.core.shm.SharedMemoryQueues;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.Partition;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sender in another network namespace writes to this one's queue in shared memory, and cannot wake it up. */
@Tag("slow")
class LostSignalTest {

    @Test
    void receiverFindsWhatItsSenderCouldNotSignal() {
        List<UcpActiveMessage> received = new ArrayList<>();
        try (Partition hosts = Partition.create(); UcpContext context = UcpContext.create(LostSignalProgram.config());
                UcpWorker receiver = context.createWorker(UcpWorkerConfig.of("receiver"))) {
            receiver.activeMessages().handler(LostSignalProgram.ID, received::add);
            try (ChildJvm sender = ChildJvm.of(LostSignalProgram.class).within(hosts.onLeft())
                    .arguments(HexFormat.of().formatHex(receiver.address())).start()) {
                await().atMost(TestTime.seconds(20)).pollInSameThread().until(() -> {
                    if (receiver.arm()) {
                        receiver.await(Duration.ofMillis(100).toNanos());
                    }
                    receiver.progress();
                    SharedMemoryQueues.signalReceivers();
                    return !received.isEmpty();
                });
                sender.send("end");
            }
        }
    }
}

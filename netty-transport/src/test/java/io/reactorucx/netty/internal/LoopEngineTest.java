package io.reactorucx.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.reactorucx.core.UcpActiveMessages;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.Ucx;
import io.reactorucx.engine.Command;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.netty.counter.LoopRegistry;
import io.reactorucx.transport.config.NetworkDevices;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class LoopEngineTest {

    @BeforeEach
    void needUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    /** Keeps why its stream has ended. */
    private static final class Ended implements StreamListener {

        private final List<IOException> causes = new ArrayList<>();

        @Override
        public ByteBufAllocator allocator() {
            return UnpooledByteBufAllocator.DEFAULT;
        }

        @Override
        public void readable() {
        }

        @Override
        public void writable() {
        }

        @Override
        public void broken(IOException cause) {
            causes.add(cause);
        }
    }

    /** The peer may wait for them, as this side waits for the peer: neither would ever go on. */
    @Test
    void fetchesDoNotWaitForSendsThatTakeAllRoomOfTheirLink() {
        LoopEngine loop = LoopEngine.open(UcxNettyConfig.DEFAULT.withTransports("shm"), NetworkDevices.NONE,
                "link-room-test", 0, new LoopRegistry().add("link-room-test", UcxNettyConfig.DEFAULT));
        UcpActiveMessages messages = loop.messages();
        LinkRoom room = new LinkRoom(messages, new LoopRounds("link-room-test"));
        for (int i = 0; i < LinkRoom.MIN_OPERATIONS; i++) {
            room.started(LinkRoom.MAX_BYTES / LinkRoom.MIN_OPERATIONS);
        }

        assertThat(room.isFree()).isFalse();
        assertThat(room.isFreeForFetch()).isTrue();
        int fetches = messages.fetchRoom();
        for (int i = 0; i < fetches; i++) {
            room.fetchStarted();
        }
        assertThat(room.isFreeForFetch()).isFalse();
        room.fetchEnded();
        assertThat(room.isFreeForFetch()).isTrue();
        loop.close();
    }

    @Test
    void channelWithoutALinkLearnsThatTheEngineHasFailed() throws InterruptedException {
        LoopCounters counters = new LoopRegistry().add("loop-engine-test", UcxNettyConfig.DEFAULT);
        LoopEngine loop = LoopEngine.open(UcxNettyConfig.DEFAULT.withTransports("shm"), NetworkDevices.NONE,
                "loop-engine-test", 0, counters);
        Ended ended = new Ended();
        List<Boolean> socketClosed = new ArrayList<>();
        assertThat(loop.streams().add(1 << 16, ended, socketClosed::add)).isNotNull();
        Thread other = new Thread(() -> loop.engine().execute(new Command() {
            @Override
            public void run(UcpWorker worker) {
                // A round within a round is what a round throws.
                loop.engine().stepOrFail();
            }

            @Override
            public void reject(RuntimeException cause) {
                throw cause;
            }
        }));
        other.start();
        other.join();

        while (!loop.isClosed()) {
            loop.round();
        }
        loop.close();

        assertThat(ended.causes).singleElement().satisfies(cause -> assertThat(cause)
                .hasMessage("the engine of the loop has failed").hasCauseInstanceOf(IllegalStateException.class));
        assertThat(socketClosed).containsExactly(false);
        assertThat(counters.channels()).isZero();
    }
}

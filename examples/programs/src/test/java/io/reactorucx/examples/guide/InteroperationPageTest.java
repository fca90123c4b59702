package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxServer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/guide/interoperation.md}; a raw client of this library stands for the program in C. */
@Tag("slow")
class InteroperationPageTest extends Page {

    @Test
    void rawPeersAreServed() throws InterruptedException {
        int port = 0;
        BlockingQueue<Long> lengths = new LinkedBlockingQueue<>();
        // snippet: raw-server
        UcxBoundServer server = UcxServer.create(resources)
                .raw(true)
                .bindAddress("127.0.0.1", port)
                .handle(connection -> connection.activeMessages().receive(0)
                        .concatMap(message -> message.fetch(resources.buffers()))
                        .doOnNext(text -> {
                            lengths.add(text.length());
                            text.release();
                        })
                        .then())
                .bindNow();
        // end
        UcxConnection client = UcxClient.create(resources)
                .raw(true)
                .remoteAddress("127.0.0.1", server.port())
                .connectNow();

        client.activeMessages().send(0, new byte[16]).block(TIMEOUT);

        assertThat(lengths.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(16);
        client.disposeNow();
    }
}

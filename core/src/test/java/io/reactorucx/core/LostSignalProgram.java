package io.reactorucx.core;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** Sends one message over shared memory to the worker whose address is its argument, and ends with its input. */
final class LostSignalProgram {

    static final int ID = 5;

    private LostSignalProgram() {
    }

    static UcpConfig config() {
        return UcpConfig.builder().transports("posix", "sysv").feature(UcpFeature.AM).feature(UcpFeature.WAKEUP)
                .setting("KEEPALIVE_INTERVAL", "inf").build();
    }

    public static void main(String[] arguments) throws IOException {
        try (UcpContext context = UcpContext.create(config())) {
            UcpWorker worker = context.createWorker(UcpWorkerConfig.of("sender"));
            UcpEndpoint endpoint = worker.connect(HexFormat.of().parseHex(arguments[0]),
                    new EndpointOptions(ErrorMode.NONE, "receiver", (failed, status) -> { }));
            MemorySegment message = Arena.global().allocate(16);
            endpoint.amSend(ID, MemorySegment.NULL, message, null, AmProtocol.AUTO, false,
                    (status, length, tag) -> { });
            while (System.in.available() == 0) {
                worker.progress();
            }
            Runtime.getRuntime().halt(0);
        }
    }
}

package io.reactorucx.core;

import java.io.IOException;
import java.util.HexFormat;

/** A program with a worker, whose address it prints. It ends with its input. */
final class AddressProgram {

    /** Printed before the address. */
    static final String ADDRESS = "address ";

    private AddressProgram() {
    }

    /**
     * The process.
     *
     * @param arguments the transports or {@code default}
     */
    public static void main(String... arguments) throws IOException {
        UcpConfig.Builder config = UcpConfig.builder().name("other").features(UcpFeature.AM);
        if (!arguments[0].equals("default")) {
            config.transports(arguments[0].split(","));
        }
        try (UcpContext context = UcpContext.create(config.build());
                UcpWorker worker = context.createWorker(UcpWorkerConfig.of("other"))) {
            System.out.println(ADDRESS + HexFormat.of().formatHex(worker.address()));
            while (System.in.read() >= 0) {
                // Until the end.
            }
        }
    }
}

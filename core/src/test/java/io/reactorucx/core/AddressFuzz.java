package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.internal.address.TransportAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A program that connects to addresses which differ from a worker's address in some bytes, and prints how many were
 * refused and how many were taken. Over tcp all of them lead to that worker: another program's port, which a changed
 * number may hit, would answer with what UCX cannot read, and end this process.
 */
final class AddressFuzz {

    /** Printed at the end. */
    static final String DONE = "done ";

    private static final int LEAST_BYTES = 9;
    /** Endpoints that lead nowhere stay with their worker. */
    private static final int OF_A_WORKER = 50;
    /** Flags and the family of the address, which lead nowhere. */
    private static final int FAMILY_BYTES = 2;
    private static final byte[] LIKELY = {0, -1, 127, -128, 1, 64, 32};

    private AddressFuzz() {
    }

    /**
     * The process.
     *
     * @param arguments transports or {@code default}, the seed, and how many addresses
     */
    public static void main(String... arguments) {
        Random random = new Random(Long.parseLong(arguments[1]));
        int count = Integer.parseInt(arguments[2]);
        UcpConfig.Builder config = UcpConfig.builder().name("fuzz").features(UcpFeature.AM, UcpFeature.TAG,
                UcpFeature.RMA, UcpFeature.WAKEUP);
        if (!arguments[0].equals("default")) {
            config.transports(arguments[0].split(","));
        }
        UcpContext context = UcpContext.create(config.build());
        byte[] address = context.createWorker(UcpWorkerConfig.of("peer")).address();
        UcpWorker worker = null;
        int refused = 0;
        for (int i = 0; i < count; i++) {
            if (i % OF_A_WORKER == 0) {
                worker = context.createWorker(UcpWorkerConfig.of("own"));
            }
            try {
                worker.connect(toItself(changed(address, random), address),
                        new EndpointOptions(ErrorMode.PEER, "fuzz", (endpoint, status) -> { }));
                for (int j = 0; j < OF_A_WORKER; j++) {
                    worker.progress();
                }
            } catch (IllegalArgumentException | UcxException e) {
                refused++;
            }
        }
        System.out.println(DONE + "refused=" + refused + " taken=" + (count - refused));
        System.out.flush();
        // The workers still connect.
        Runtime.getRuntime().halt(0);
    }

    /** Puts the worker's own host and port wherever an address names others, for tcp. */
    private static byte[] toItself(byte[] changed, byte[] address) {
        List<TransportAddress> own = TransportAddress.parse(address);
        try {
            for (TransportAddress part : TransportAddress.parse(changed)) {
                own.stream().filter(each -> part.is("tcp") && each.is("tcp")
                        && each.device().remaining() == part.device().remaining()
                        && each.address().remaining() == part.address().remaining()).findFirst()
                        .ifPresent(each -> {
                            copy(each.device(), part.device(), FAMILY_BYTES);
                            copy(each.address(), part.address(), 0);
                        });
            }
        } catch (IllegalArgumentException e) {
            // It will be refused.
        }
        return changed;
    }

    private static void copy(ByteBuffer from, ByteBuffer to, int start) {
        to.put(start, from, start, to.remaining() - start);
    }

    private static byte[] changed(byte[] address, Random random) {
        byte[] changed = address.clone();
        switch (random.nextInt(8)) {
            case 0 -> changed = Arrays.copyOf(changed, LEAST_BYTES + random.nextInt(changed.length - LEAST_BYTES));
            case 1 -> changed = Arrays.copyOf(changed, changed.length + 1 + random.nextInt(200));
            default -> {
                for (int i = random.nextInt(3); i >= 0; i--) {
                    int at = random.nextInt(changed.length);
                    changed[at] = random.nextBoolean() ? LIKELY[random.nextInt(LIKELY.length)]
                            : (byte) random.nextInt();
                }
            }
        }
        return changed;
    }
}

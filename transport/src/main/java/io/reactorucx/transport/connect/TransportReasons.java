package io.reactorucx.transport.connect;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Says once for each host of a peer and each reason why connections to it do not go over RDMA. After so many of them it
 * says no more.
 *
 * <p>Thread: any.
 */
final class TransportReasons {

    static final int MAX_TOLD = 256;

    private final Consumer<String> info;
    private final Set<String> told = new HashSet<>();

    TransportReasons(Consumer<String> info) {
        this.info = info;
    }

    synchronized void tell(String host, String taken, String why) {
        if (told.size() < MAX_TOLD && told.add(host + " " + taken + " " + why)) {
            info.accept("connections with " + host + " go over " + taken + ", and not over RDMA: " + why
                    + (told.size() < MAX_TOLD ? "" : "; further reasons are logged at DEBUG"));
        }
    }
}

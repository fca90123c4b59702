package io.reactorucx.benchmarks.rig.cases;

import java.util.ArrayList;
import java.util.List;

/** RSocket over UCX beside RSocket over the kernel's TCP, and beside this library's own requests. */
public final class RSocketCases {

    private static final int SMALL = 8;
    private static final int MIB = 1 << 20;
    private static final int MIB_WINDOW = 8;
    private static final double SMALL_RATIO = 0.1;
    private static final double REQUESTER_RATIO = 2.5;
    private static final double BANDWIDTH_RATIO = 2;

    private RSocketCases() {
    }

    /**
     * All cases.
     *
     * @param kernel requests of 8 B over TCP
     * @param requester requests of 8 B of this library over shared memory
     */
    public static List<Scenario> all(Contender kernel, Contender requester) {
        Contender shm = small("shm");
        Contender large = contender("rsocket", "rsocket 1M", "--tcp", MIB, "bandwidth");
        Scenario latency = Scenario.of(
                new Row("rsocket-ucx-shm", Metric.P50, shm, kernel, Target.atMost(SMALL_RATIO)),
                new Row("rsocket-ucx-shm-requester", Metric.P50, shm, requester, Target.atMost(REQUESTER_RATIO)),
                new Row("rsocket-ucx-tcp", Metric.P50, small("tcp"), kernel, Target.none()));
        Scenario bandwidth = Scenario.of(
                new Row("rsocket-ucx-bandwidth-1M-shm", Metric.BANDWIDTH, large("shm"), large,
                        Target.atLeast(BANDWIDTH_RATIO)),
                new Row("rsocket-ucx-bandwidth-1M-tcp", Metric.BANDWIDTH, large("tcp"), large, Target.none()));
        return List.of(latency, bandwidth);
    }

    private static Contender small(String transport) {
        return contender("rsocket-ucx", "rsocket over UCX 8 B " + transport, over(transport), SMALL, "latency");
    }

    private static Contender large(String transport) {
        return contender("rsocket-ucx", "rsocket over UCX 1M " + transport, over(transport), MIB, "bandwidth");
    }

    private static String over(String transport) {
        return transport.equals("tcp") ? "--tcp" : "";
    }

    private static Contender contender(String peer, String name, String transport, int size, String mode) {
        List<String> arguments = new ArrayList<>(List.of(peer, "--test", "request", "--mode", mode, "--size",
                Integer.toString(size)));
        if (mode.equals("bandwidth")) {
            arguments.addAll(List.of("--window", Integer.toString(MIB_WINDOW)));
        }
        if (!transport.isEmpty()) {
            arguments.add(transport);
        }
        return Contender.peer(name, arguments.toArray(String[]::new));
    }
}

package io.reactorucx.examples.netty;

import io.reactorucx.examples.DemoFailure;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A case: a protocol under a load.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> {@link DemoFailure} for an unknown name.
 *
 * @param name the name of the case
 * @param protocol how the programs talk
 * @param load when they do
 * @param bulk whether the amount of data counts, and not the time of a call
 */
public record Workload(String name, Protocol protocol, Load load, boolean bulk) {

    private static final int SMALL = 8;
    private static final int LARGE = 64 << 10;
    private static final int HUGE = 1 << 20;
    private static final int LARGE_UNDER_WAY = 8;
    private static final int HUGE_UNDER_WAY = 2;

    /**
     * {@return the load of the warm-up, which makes as many calls as it can: at a low rate a JVM would take minutes to
     * compile what it runs}
     */
    Load warmUp() {
        return load instanceof FixedRate ? new ClosedLoop(load.connections(), 1) : load;
    }

    /**
     * All cases.
     *
     * @param perSecond calls a second of those at a fixed rate
     * @param connections of those at a fixed rate
     * @return the cases
     */
    public static List<Workload> all(int perSecond, int connections) {
        Load oneByOne = new ClosedLoop(1, 1);
        Load atFixedRate = new FixedRate(perSecond, connections);
        return List.of(
                new Workload("echo", new Echo(SMALL), oneByOne, false),
                new Workload("echo-64K", new Echo(LARGE), new ClosedLoop(1, LARGE_UNDER_WAY), true),
                new Workload("echo-1M", new Echo(HUGE), new ClosedLoop(1, HUGE_UNDER_WAY), true),
                new Workload("http", new HttpGet(), oneByOne, false),
                new Workload("rsocket", new RSocketRequest(), oneByOne, false),
                new Workload("grpc", new GrpcCall(), oneByOne, false),
                new Workload("echo-rate", new Echo(SMALL), atFixedRate, false),
                new Workload("http-rate", new HttpGet(), atFixedRate, false));
    }

    /**
     * Finds a case.
     *
     * @param all the cases
     * @param name its name
     * @return the case
     */
    public static Workload named(List<Workload> all, String name) {
        String known = all.stream().map(Workload::name).collect(Collectors.joining(", "));
        return all.stream().filter(each -> each.name.equals(name)).findFirst()
                .orElseThrow(() -> new DemoFailure("--case '" + name + "': must be one of " + known));
    }
}

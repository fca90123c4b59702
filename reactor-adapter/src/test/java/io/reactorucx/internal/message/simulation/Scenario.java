package io.reactorucx.internal.message.simulation;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.config.PeerLimits;
import io.reactorucx.transport.handshake.PeerInfo;
import java.nio.ByteOrder;

/** What one seed does: two sides, their work, and the end of their connection, in the midst of it or behind it. */
final class Scenario {

    /**
     * Whether both sides may have a single slab for their messages, and not one of them alone. They may stand still
     * then: copies that wait for their fetch leave no memory for blocks of another size on either side.
     */
    private static final boolean BOTH_SCARCE = Boolean.getBoolean("io.reactorucx.test.scarce");

    private static final int WORK_NANOS = 20_000_000;
    private static final int HURRY_NANOS = 60_000_000;

    private final Simulation simulation;
    private final SimulatedSide one;
    private final SimulatedSide two;

    Scenario(long seed, CarrierFault fault, SimulatedPools pools) {
        this.simulation = new Simulation(seed, pools);
        CarrierSettings settings = new CarrierSettings(fault, simulation.one(2, 8, 1_000),
                simulation.one(0.0, 0.02, 0.2), simulation.chance(0.5));
        boolean scarce = simulation.chance(0.3);
        this.one = side("one", settings, pools.one(), scarce);
        this.two = side("two", settings, pools.two(), simulation.chance(0.3) && (BOTH_SCARCE || !scarce));
        one.connect(two);
        two.connect(one);
    }

    private SimulatedSide side(String name, CarrierSettings settings, SimulatedPools.Side pools, boolean scarce) {
        return new SimulatedSide(simulation, name, settings, limits(), scarce ? pools.fewMessages() : pools.messages(),
                pools.application());
    }

    private FlowControlConfig limits() {
        return FlowControlConfig.DEFAULT.withWindow(simulation.one(1, 2, 8, 1024), simulation.one(1 << 16, 1 << 20))
                .withSizes(simulation.one(0, 64, 1_000, 16 << 10), simulation.one(256, 1_024, 8 << 10))
                .withMaxStreams(simulation.one(1, 2, 1_024)).withMaxWaitingRequests(simulation.one(0, 2, 4_096))
                .withDetailedErrors(true);
    }

    /** Runs the seed. Returns what was wrong, null for nothing. */
    Simulation run() {
        one.engine().run(() -> one.protocol().connected(info(two, 2)));
        two.engine().run(() -> two.protocol().connected(info(one, 1)));
        two.engine().run(two.protocol()::accepted);
        work(one);
        work(two);
        boolean early = simulation.chance(0.5);
        if (early) {
            simulation.after(simulation.below(WORK_NANOS), this::end);
        }
        simulation.after(HURRY_NANOS, this::hurry);
        simulation.run();
        if (!early && !simulation.hasFailed()) {
            one.checkAtRest();
            two.checkAtRest();
            simulation.note("at rest");
            simulation.soon(this::end);
            simulation.run();
        }
        if (!simulation.hasFailed()) {
            one.checkAtEnd();
            two.checkAtEnd();
        }
        return simulation;
    }

    private static PeerInfo info(SimulatedSide side, long workerId) {
        return new PeerInfo(new UcxVersion(1, 20, 0), ErrorMode.PEER, ByteOrder.nativeOrder(),
                new PeerLimits(0, side.protocol().context().maxMessageBytes(), side.limits().maxStreams(),
                side.limits().windowBytes()), 0, workerId, ProcessIdentity.UNKNOWN, true);
    }

    private void work(SimulatedSide side) {
        int base = side == one ? 100 : 200;
        if (simulation.chance(0.9)) {
            side.engine().runAnywhere(side::respond);
        }
        for (int i = simulation.below(5); i > 0; i--) {
            side.sendWithin(WORK_NANOS, base + i);
        }
        for (int i = simulation.one(0, 3, 10); i > 0; i--) {
            side.requestWithin(WORK_NANOS, base + 50 + i);
        }
        for (int i = simulation.below(4); i > 0; i--) {
            side.receiveWithin(WORK_NANOS);
        }
        if (simulation.chance(0.1)) {
            side.leaveWithin(WORK_NANOS);
        }
        if (simulation.chance(0.2)) {
            side.lackMemoryWithin(WORK_NANOS);
        }
    }

    /** Gives demand to everything, again and again: a receiver that leaves has a successor. */
    private void hurry() {
        one.hurry();
        two.hurry();
        for (SimulatedSide side : new SimulatedSide[] {one, two}) {
            simulation.after(1_000_000, () -> {
                if (side.isOpen() && !side.hasReceiver()) {
                    hurry();
                }
            });
        }
    }

    private void end() {
        one.sendWithin(1 + simulation.below(100_000), 130);
        two.sendWithin(1 + simulation.below(100_000), 230);
        simulation.after(simulation.below(100_000), this::endNow);
    }

    private void endNow() {
        SimulatedSide first = simulation.chance(0.5) ? one : two;
        switch (simulation.below(10)) {
            case 0 -> simulation.soon(() -> close(first, CloseMode.FORCE));
            case 1 -> {
                simulation.soon(() -> one.engine().run(one.connection()::peerFailed));
                simulation.soon(() -> two.engine().run(two.connection()::peerFailed));
            }
            case 2, 3 -> {
                simulation.soon(() -> close(one, CloseMode.FLUSH));
                simulation.soon(() -> close(two, CloseMode.FLUSH));
            }
            default -> close(first, CloseMode.FLUSH);
        }
    }

    private void close(SimulatedSide side, CloseMode mode) {
        side.engine().run(() -> {
            if (simulation.chance(0.2)) {
                side.protocol().handlerEnded(simulation.chance(0.3));
            }
            side.connection().close(mode);
        });
    }
}

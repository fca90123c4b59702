package io.reactorucx.internal.message.simulation;

import io.reactorucx.core.CloseMode;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.connection.ConnectionPhase;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** What one seed does: two sides, their work, and the end of their connection, in the midst of it or behind it. */
final class Scenario {

    /**
     * Whether both sides may have a single slab for their messages, and not one of them alone. They may stand still
     * then: copies that wait for their fetch leave no memory for blocks of another size on either side.
     */
    private static final boolean BOTH_SCARCE = Boolean.getBoolean("io.reactorucx.test.scarce");

    private static final int HANDSHAKE_NANOS = 1_000_000;
    private static final int WORK_NANOS = 20_000_000;
    private static final int HURRY_NANOS = 60_000_000;
    private static final long REST_NANOS = 2_000_000_000L;
    private static final long RING_MEMORY = 16 << 20;
    private static final Duration HEARTBEAT = Duration.ofMillis(200);

    private final Simulation simulation;
    private final SimulatedSide one;
    private final SimulatedSide two;
    private final boolean hasSocket;
    private final boolean hasHeartbeat;
    private boolean ends;

    Scenario(long seed, CarrierFault fault, SimulatedPools pools, Consumer<ConnectionPhase> phases) {
        this.simulation = new Simulation(seed, pools);
        CarrierSettings settings = new CarrierSettings(fault, simulation.one(2, 8, 1_000),
                simulation.one(0.0, 0.02, 0.2), simulation.chance(0.5), simulation.chance(0.5),
                simulation.chance(0.3) ? HEARTBEAT : Duration.ZERO);
        this.hasHeartbeat = !settings.heartbeat().isZero();
        this.hasSocket = settings.hasSocket();
        boolean scarce = simulation.chance(0.3);
        this.one = side("one", settings, pools.one(), scarce);
        this.two = side("two", settings, pools.two(), simulation.chance(0.3) && (BOTH_SCARCE || !scarce));
        simulation.afterEach(() -> {
            phases.accept(one.connection().phase());
            phases.accept(two.connection().phase());
            one.pollRings();
            two.pollRings();
        });
        one.connect(two);
        two.connect(one);
    }

    private SimulatedSide side(String name, CarrierSettings settings, SimulatedPools.Side pools, boolean scarce) {
        return new SimulatedSide(simulation, name, settings, limits(), scarce ? pools.fewMessages() : pools.messages(),
                pools.application(), simulation.chance(0.9) ? RING_MEMORY : 0);
    }

    private FlowControlConfig limits() {
        return FlowControlConfig.DEFAULT.withWindow(simulation.one(1, 2, 8, 1024), simulation.one(1 << 16, 1 << 20))
                .withSizes(simulation.one(0, 64, 1_000, 16 << 10), simulation.one(256, 1_024, 8 << 10))
                .withMaxStreams(simulation.one(1, 2, 1_024)).withMaxWaitingRequests(simulation.one(0, 2, 4_096))
                .withDetailedErrors(true);
    }

    /** Runs the seed. Returns what was wrong, null for nothing. */
    Simulation run() {
        try {
            runAll();
        } finally {
            one.rings().close();
            two.rings().close();
        }
        return simulation;
    }

    /** Returns the batches that went over rings. */
    long ringRecords() {
        return one.rings().sent() + two.rings().sent();
    }

    private void runAll() {
        new SimulatedHandshake(simulation, one, two, hasSocket, this::work).start();
        if (simulation.chance(0.05)) {
            SimulatedSide impatient = simulation.chance(0.5) ? one : two;
            simulation.after(simulation.below(HANDSHAKE_NANOS), () -> giveUp(impatient));
        }
        if (simulation.chance(0.5)) {
            simulation.after(simulation.below(WORK_NANOS), this::end);
        }
        simulation.after(HURRY_NANOS, this::hurry);
        simulation.runUntil(REST_NANOS);
        for (SimulatedSide side : List.of(one, two)) {
            simulation.check(ends || side.isOpen(), side + " is not connected any more, for no reason");
        }
        if (!simulation.hasFailed() && one.isOpen() && two.isOpen()) {
            one.checkAtRest();
            two.checkAtRest();
            simulation.note("at rest");
            simulation.soon(this::end);
        }
        simulation.run();
        if (!simulation.hasFailed()) {
            one.checkAtEnd();
            two.checkAtEnd();
        }
    }

    private void giveUp(SimulatedSide side) {
        side.engine().run(() -> {
            if (side.connection().phase().isConnecting()) {
                ends = true;
                simulation.note(side + " gives up");
                side.connection().abandonConnecting();
            }
        });
    }

    private void work(SimulatedSide side) {
        if (side == two) {
            side.connection().protocols().accepted();
        }
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
        for (SimulatedSide side : List.of(one, two)) {
            if (side.isOpen()) {
                side.sendWithin(1 + simulation.below(100_000), side == one ? 130 : 230);
            }
        }
        simulation.after(simulation.below(100_000), this::endNow);
    }

    private void endNow() {
        ends = true;
        SimulatedSide first = simulation.chance(0.5) ? one : two;
        switch (simulation.below(hasHeartbeat ? 12 : 10)) {
            case 0 -> simulation.soon(() -> close(first, CloseMode.FORCE));
            case 1 -> {
                simulation.soon(() -> one.engine().run(one.carrier()::fail));
                simulation.soon(() -> two.engine().run(two.carrier()::fail));
            }
            case 2 -> {
                first.closeEngine();
                simulation.soon(() -> first.other().engine().run(first.other().carrier()::fail));
            }
            case 3, 4 -> {
                simulation.soon(() -> close(one, CloseMode.FLUSH));
                simulation.soon(() -> close(two, CloseMode.FLUSH));
            }
            case 10, 11 -> first.stop();
            default -> close(first, CloseMode.FLUSH);
        }
    }

    private void close(SimulatedSide side, CloseMode mode) {
        side.engine().run(() -> {
            if (simulation.chance(0.2)) {
                side.protocol().handlerEnded(simulation.chance(0.3));
            }
            side.connection().beginClose(mode);
        });
    }
}

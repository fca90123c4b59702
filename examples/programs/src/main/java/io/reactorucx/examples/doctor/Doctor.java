package io.reactorucx.examples.doctor;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.error.UcxUnavailableException;
import io.reactorucx.examples.doctor.facts.Component;
import io.reactorucx.examples.doctor.facts.MemoryMaps;
import io.reactorucx.examples.doctor.facts.NativeProbe;
import io.reactorucx.examples.doctor.facts.RdmaDevice;
import io.reactorucx.examples.doctor.facts.Transport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A diagnostic that lists problems of UCX on this machine and in this process, with remedies.
 *
 * <p><b>Threading:</b> one thread. <b>Errors:</b> none: a failed check is a finding.
 */
public final class Doctor {

    private static final Path PROC = Path.of("/proc");
    private static final Path SYS = Path.of("/sys");

    private final List<Check> checks;

    Doctor(List<Check> checks) {
        this.checks = List.copyOf(checks);
    }

    /**
     * Creates a diagnostic of this process. Loads UCX.
     *
     * @param before the libraries that were mapped before anything loaded UCX
     * @param environment the variables of the environment before anything loaded UCX
     * @param components what UCX offers, empty without UCX
     * @return the diagnostic
     */
    public static Doctor ofThisProcess(MemoryMaps before, Map<String, String> environment, List<Component> components) {
        Optional<String> problem = Ucx.unavailabilityCause().map(UcxUnavailableException::getMessage);
        Optional<UcxVersion> version = problem.isPresent() ? Optional.empty() : Optional.of(Ucx.version());
        List<Transport> transports = components.stream().flatMap(Component::transports).toList();
        boolean rdma = transports.stream().anyMatch(Transport::isRdma) || !RdmaDevice.of(SYS).isEmpty();
        List<Check> checks = new ArrayList<>();
        checks.add(new UcxLibrary(version, problem));
        version.ifPresent(loaded -> {
            checks.add(new KnownBugs(loaded));
            checks.add(new Transports(transports));
            checks.add(RdmaDevices.of(SYS, Path.of("/dev/infiniband"), components));
        });
        checks.addAll(List.of(new LoadedBefore(before), new SignalHandlers(NativeProbe::handlerOf, environment),
                new MemoryHooks(() -> NativeProbe.isPatched("mmap"), environment), new UnknownVariables(environment),
                new DangerousVariables(environment), new Preloads(environment), new DecimalPoint(environment),
                new LockedMemory(PROC.resolve("self"), rdma), new OpenFiles(PROC.resolve("self/limits")),
                new SharedMemoryRoom(Path.of("/dev/shm"), SharedMemoryRoom::roomOf),
                new Namespaces(PROC.resolve("self/ns")), new CrossMemoryAttach(PROC)));
        return new Doctor(checks);
    }

    /** {@return the findings of all checks, in the order of the checks} */
    public List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        for (Check check : checks) {
            try {
                all.addAll(check.findings());
            } catch (RuntimeException | LinkageError e) {
                all.add(Finding.note(check.name(), "could not be measured: " + e,
                        "The result of this check is unknown", ""));
            }
        }
        return all;
    }
}

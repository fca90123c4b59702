package io.reactorucx.examples;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.examples.doctor.Doctor;
import io.reactorucx.examples.doctor.Finding;
import io.reactorucx.examples.doctor.Severity;
import io.reactorucx.examples.doctor.facts.Component;
import io.reactorucx.examples.doctor.facts.MemoryMaps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints what this machine's UCX offers, and the problems that a diagnostic finds. */
@Command(name = "info", description = "Prints the versions in use, UCX's components with their memory domains and"
        + " transports, and a diagnostic that lists problems and remedies. The exit code is 1 when a problem is an"
        + " error.")
final class InfoCommand implements Callable<Integer> {

    private static final double MIN_TIMEOUT = 0.001;
    private static final int MAX_TIMEOUT = 3600;

    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--json", description = "Print JSON instead of text. docs/spec/info.md describes it.")
    private boolean json;
    @Option(names = "--to", paramLabel = "ADDRESS", converter = HostAndPort.Converter.class, description = "Connect to"
            + " a server of this library at HOST:PORT as well, an IPv6 address in brackets, and say which transports a"
            + " connection takes and why no better ones.")
    private @Nullable HostAndPort to;
    @Option(names = "--timeout", paramLabel = "SECONDS", description = "How long connecting to"
            + " the server may take, by default 10.")
    private double timeoutSeconds = 10;
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (!(timeoutSeconds >= MIN_TIMEOUT && timeoutSeconds <= MAX_TIMEOUT)) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "--timeout " + timeoutSeconds
                    + ": must be at least " + MIN_TIMEOUT + " and at most " + MAX_TIMEOUT);
        }
        MemoryMaps before = MemoryMaps.ofThisProcess();
        // Java copies the environment at the first access, and loading UCX changes the environment of the process.
        Map<String, String> environment = System.getenv();
        Ucx.isAvailable();
        List<Finding> findings = new ArrayList<>();
        List<Component> components = components(findings);
        findings.addAll(Doctor.ofThisProcess(before, environment, components).findings());
        // An engine may crash where UCX has taken the JVM's signal handlers.
        boolean safe = findings.stream().noneMatch(finding -> finding.check().equals("loaded-before")
                && finding.severity() != Severity.OK);
        if (safe && Ucx.isAvailable()) {
            findings.add(ListeningPorts.find());
        }
        Optional<TriedConnection> tried = Optional.ofNullable(to).map(server -> tried(server, safe));
        tried.ifPresent(connection -> findings.addAll(connection.findings()));
        MachineReport report = new MachineReport(components, findings, tried.flatMap(TriedConnection::route));
        System.out.print(json ? report.json() : report.text());
        return report.worst() == Severity.ERROR ? 1 : 0;
    }

    private TriedConnection tried(HostAndPort server, boolean safe) {
        if (!Ucx.isAvailable()) {
            return TriedConnection.not(server, "UCX cannot be used", "see ucx-library");
        }
        return safe ? TriedConnection.to(server, Duration.ofMillis(Math.round(timeoutSeconds * 1e3)))
                : TriedConnection.not(server, "something else had loaded UCX", "see loaded-before");
    }

    private static List<Component> components(List<Finding> findings) {
        try {
            return Component.all();
        } catch (UcxException e) {
            findings.add(new Finding("components", Severity.ERROR, String.valueOf(e.getMessage()),
                    "UCX cannot list its components", ""));
            return List.of();
        }
    }
}

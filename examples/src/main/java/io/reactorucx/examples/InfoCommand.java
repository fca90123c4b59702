package io.reactorucx.examples;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxException;
import io.reactorucx.examples.doctor.Component;
import io.reactorucx.examples.doctor.Doctor;
import io.reactorucx.examples.doctor.Finding;
import io.reactorucx.examples.doctor.MemoryMaps;
import io.reactorucx.examples.doctor.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints what this machine's UCX offers, and the problems that a diagnostic finds. */
@Command(name = "info", description = "Prints the versions in use, UCX's components with their memory domains and"
        + " transports, and a diagnostic that lists problems and remedies. The exit code is 1 when a problem is an"
        + " error.")
final class InfoCommand implements Callable<Integer> {

    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--json", description = "Print JSON instead of text. docs/info.md describes it.")
    private boolean json;

    @Override
    public Integer call() {
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
        MachineReport report = new MachineReport(components, findings);
        System.out.print(json ? report.json() : report.text());
        return report.worst() == Severity.ERROR ? 1 : 0;
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

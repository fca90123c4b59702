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
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What this machine's UCX is and offers, and what stands in its way. */
@Command(name = "info", mixinStandardHelpOptions = true, description = {
    "Prints the versions in use, UCX's components with their memory domains and transports,",
    "and what a doctor finds in the way of UCX, with the remedies. Ends with 1 when there is",
    "an error among the findings, otherwise with 0."})
final class InfoCommand implements Callable<Integer> {

    @Option(names = "--json", description = "Print JSON instead of text; docs/info.md describes it.")
    private boolean json;

    @Override
    public Integer call() {
        MemoryMaps before = MemoryMaps.ofThisProcess();
        Ucx.isAvailable();
        List<Finding> findings = new ArrayList<>();
        List<Component> components = components(findings);
        findings.addAll(Doctor.ofThisProcess(before, components).findings());
        MachineReport report = new MachineReport(components, findings);
        System.out.print(json ? report.json() : report.text());
        return report.worst() == Severity.ERROR ? 1 : 0;
    }

    private static List<Component> components(List<Finding> findings) {
        try {
            return Component.all();
        } catch (UcxException e) {
            findings.add(new Finding("components", Severity.ERROR, String.valueOf(e.getMessage()), "UCX does not say what it has", ""));
            return List.of();
        }
    }
}

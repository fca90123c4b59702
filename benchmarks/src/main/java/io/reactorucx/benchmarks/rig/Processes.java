package io.reactorucx.benchmarks.rig;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import io.reactorucx.benchmarks.process.ChildProcess;
import io.reactorucx.benchmarks.process.Cpus;
import io.reactorucx.benchmarks.process.MeasurementFailure;
import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Metric;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures a contender with a new server and a new client, each on its processors. */
final class Processes implements Rounds.Gauge {

    static final long READY_SECONDS = 30;
    private static final double PERCENT = 100;

    private final Commands commands;
    private final Timing timing;
    private final PerftestProcesses inC;
    private final Map<List<String>, Double> rates = new HashMap<>();

    Processes(Cpus cpus, Timing timing, List<String> jvmOptions) {
        this.commands = new Commands(cpus, timing, jvmOptions);
        this.timing = timing;
        this.inC = new PerftestProcesses(cpus, timing);
    }

    @Override
    public double secondsOf(Contender contender) {
        return timing.estimateOf(contender);
    }

    @Override
    public double hopNanos() throws InterruptedException {
        return inC.hopNanos();
    }

    @Override
    public Measurement measure(Contender contender) throws InterruptedException {
        try {
            return Measurement.of(contender.perftest() != null ? inC.measure(contender, contender.perftest())
                    : contender.tool() == Contender.Tool.LAYERS ? alone(contender)
                    : contender.load() > 0 ? inJava(atLoad(contender)) : closedLoop(contender));
        } catch (MeasurementFailure | IOException | IllegalStateException | JsonSyntaxException e) {
            return Measurement.failed(String.valueOf(e.getMessage()));
        }
    }

    private JsonObject closedLoop(Contender contender) throws IOException, InterruptedException {
        JsonObject figures = inJava(contender);
        if (figures.has(Metric.RATE.field())) {
            rates.put(contender.arguments(), figures.get(Metric.RATE.field()).getAsDouble());
        }
        return figures;
    }

    /** Measures the rate of the closed loop first, unless it is known. */
    private Contender atLoad(Contender contender) throws IOException, InterruptedException {
        List<String> closed = contender.argumentsOfClosedLoop();
        Double rate = rates.get(closed);
        if (rate == null) {
            rate = closedLoop(new Contender(contender.name(), contender.tool(), closed, null)).get(Metric.RATE.field())
                    .getAsDouble();
        }
        return contender.atRate(rate * contender.load() / PERCENT);
    }

    private JsonObject inJava(Contender contender) throws IOException, InterruptedException {
        Map<String, String> environment = Commands.environment(contender);
        try (ChildProcess server = new ChildProcess(commands.server(contender), environment, "READY ")) {
            String port = server.awaitReady(READY_SECONDS);
            try (ChildProcess client = new ChildProcess(commands.client(contender, port, server.pid(), false),
                    environment, "never")) {
                return lastLine(client.awaitOutput(timing.limitSeconds()));
            } catch (MeasurementFailure e) {
                throw new MeasurementFailure(e.getMessage() + (server.lastWords().isEmpty() ? ""
                        : "; the server" + server.lastWords()));
            }
        }
    }

    private JsonObject alone(Contender contender) throws IOException, InterruptedException {
        try (ChildProcess process = new ChildProcess(commands.alone(contender), Commands.environment(contender),
                "never")) {
            return lastLine(process.awaitOutput(timing.limitSeconds()));
        }
    }

    static JsonObject lastLine(List<String> output) {
        return output.reversed().stream().filter(line -> line.startsWith("{")).findFirst()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .orElseThrow(() -> new MeasurementFailure(
                        "no line of JSON in its output: " + String.join(" | ", output)));
    }
}

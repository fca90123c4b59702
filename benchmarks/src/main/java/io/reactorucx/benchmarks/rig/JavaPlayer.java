package io.reactorucx.benchmarks.rig;

import com.google.gson.JsonObject;
import io.reactorucx.benchmarks.process.ChildProcess;
import io.reactorucx.benchmarks.process.MeasurementFailure;
import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Metric;
import io.reactorucx.benchmarks.turns.Turn;
import io.reactorucx.benchmarks.turns.TurnRecorder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A contender in Java, which prints the figures of each of its turns. */
final class JavaPlayer implements Player {

    private static final int FIELDS = 6;
    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final String SIZE = "size";
    /** Times over all turns; they have the stops in them. */
    private static final List<String> DISTURBED = List.of("p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns",
            "mean_ns", "seconds", "operations");

    private final ChildProcess server;
    private final ChildProcess client;
    private final long turnNanos;
    private final long limitSeconds;
    private JsonObject whole = new JsonObject();
    private String failure = "";
    private int stalls;

    private JavaPlayer(ChildProcess server, ChildProcess client, Timing timing) {
        this.server = server;
        this.client = client;
        this.turnNanos = timing.turnNanos();
        this.limitSeconds = timing.limitSeconds();
    }

    /** Starts and warms up, and stops when that is done. */
    static JavaPlayer start(Contender contender, Commands commands, Timing timing) throws IOException,
            InterruptedException {
        Map<String, String> environment = Commands.environment(contender);
        ChildProcess server = new ChildProcess(commands.server(contender), environment, "READY ");
        try {
            String port = server.awaitReady(Processes.READY_SECONDS);
            ChildProcess client = new ChildProcess(commands.client(contender, port, server.pid(), true), environment,
                    TurnRecorder.STARTED);
            JavaPlayer player = new JavaPlayer(server, client, timing);
            try {
                client.awaitReady(timing.limitSeconds());
            } catch (MeasurementFailure | InterruptedException e) {
                client.close();
                throw e;
            }
            player.stop(0);
            return player;
        } catch (MeasurementFailure e) {
            server.close();
            throw new MeasurementFailure(e.getMessage() + server.lastWords());
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    @Override
    public void resume(int cycle) {
        server.resume();
        client.resume();
    }

    @Override
    public void stop(int cycle) {
        client.stop();
        server.stop();
    }

    @Override
    public long turnNanos() {
        return turnNanos;
    }

    @Override
    public void finish(List<Turn> turns) throws InterruptedException {
        client.endInput();
        resume(turns.size());
        try {
            whole = Processes.lastLine(client.awaitOutput(limitSeconds));
            List<Measurement> figures = figures(turns);
            DISTURBED.forEach(whole::remove);
            whole.addProperty("turns", figures.stream().filter(each -> !each.hasFailed()).count());
            whole.addProperty("stalls", stalls);
            for (Metric metric : List.of(Metric.P50, Metric.RATE, Metric.BANDWIDTH)) {
                List<Double> values = figures.stream().flatMap(each -> each.figure(metric).stream().boxed()).toList();
                whole.remove(metric.field());
                if (!values.isEmpty()) {
                    whole.addProperty(metric.field(), Comparison.median(values));
                }
            }
        } catch (MeasurementFailure e) {
            failure = e.getMessage() + server.lastWords();
        } finally {
            stop(turns.size());
        }
    }

    /** A line belongs to the turn in which its middle is. Of several lines of a turn the longest counts. */
    @Override
    public List<Measurement> figures(List<Turn> turns) {
        List<Measurement> figures = new ArrayList<>(Collections.nCopies(turns.size(),
                Measurement.failed(failure.isEmpty() ? "no figures of this turn" : failure)));
        long[] longest = new long[turns.size()];
        stalls = 0;
        for (ChildProcess.Line line : client.lines()) {
            String[] fields = line.text().substring(Math.min(line.text().length(), TurnRecorder.TURN.length()))
                    .split(" ");
            if (!line.text().startsWith(TurnRecorder.TURN) || fields.length != FIELDS) {
                continue;
            }
            long begin = Long.parseLong(fields[0]);
            long nanos = Long.parseLong(fields[1]) - begin;
            for (int i = 0; i < turns.size(); i++) {
                if (turns.get(i).contains(begin + nanos / 2)) {
                    stalls += longest[i] > 0 ? 1 : 0;
                    if (nanos > longest[i]) {
                        longest[i] = nanos;
                        figures.set(i, Measurement.of(figures(fields, nanos)));
                    }
                }
            }
        }
        return figures;
    }

    private JsonObject figures(String[] fields, long nanos) {
        JsonObject json = new JsonObject();
        double rate = Long.parseLong(fields[2]) * SECOND / nanos;
        json.addProperty(Metric.RATE.field(), rate);
        if (whole.has(SIZE)) {
            json.addProperty(Metric.BANDWIDTH.field(), rate * whole.get(SIZE).getAsDouble());
        }
        double half = whole.has("one_way") && whole.get("one_way").getAsBoolean() ? 0.5 : 1;
        if (!fields[3].equals("0")) {
            json.addProperty(Metric.P50.field(), half * Long.parseLong(fields[3]));
        }
        return json;
    }

    @Override
    public Measurement whole() {
        return failure.isEmpty() ? Measurement.of(whole) : Measurement.failed(failure);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}

package io.reactorucx.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.benchmarks.process.Cpus;
import io.reactorucx.benchmarks.rig.cases.Cases;
import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Metric;
import io.reactorucx.benchmarks.rig.cases.Row;
import io.reactorucx.benchmarks.rig.cases.Scenario;
import io.reactorucx.benchmarks.rig.cases.Sweeps;
import io.reactorucx.core.Ucx;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Short measurements of each kind of contender in two processes; the values do not matter. */
@Tag("slow")
@Timeout(900)
class ProcessesTest {

    /** ucx_perftest sends as many messages as a fast machine does in that time, which takes a busy one far longer. */
    private static final Timing SHORT = new Timing(0.05, 0.05, 0.05, 0.1);

    /** The better compiler would take most of the time of these JVMs. */
    private static final List<String> EARLY_COMPILED = List.of("-XX:TieredStopAtLevel=1");

    private final Processes processes = new Processes(Cpus.of("any"), SHORT, EARLY_COMPILED);

    private static Stream<Row> all() {
        return Cases.all().stream().flatMap(each -> each.rows().stream());
    }

    private static Contender contenderOf(Row row) {
        return row.theirs() == null ? row.ours() : row.theirs();
    }

    /**
     * One contender with its metrics for each program and test, regardless of sizes and error modes; those of Netty are
     * below.
     */
    static Stream<Arguments> contenders() {
        Set<String> seen = new LinkedHashSet<>();
        Map<Contender, Set<Metric>> metrics = new LinkedHashMap<>();
        all().filter(row -> !row.name().startsWith("netty-")).filter(row -> {
            Contender contender = contenderOf(row);
            String test = row.theirs() == null || contender.perftest() != null ? ""
                    : contender.arguments().subList(0, Math.min(3, contender.arguments().size())).toString();
            return seen.add(contender.tool() + " " + row.metric() + " " + test);
        }).forEach(row -> metrics.computeIfAbsent(contenderOf(row), first -> EnumSet.noneOf(Metric.class))
                .add(row.metric()));
        return metrics.entrySet().stream().map(each -> Arguments.of(each.getKey(), each.getValue()));
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void measuresEachKind(Contender contender, Set<Metric> metrics) throws InterruptedException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        assumeTrue(contender.perftest() == null || Files.isExecutable(Path.of("/usr/bin/ucx_perftest")),
                "no ucx_perftest");
        Measurement measurement = processes.measure(contender);
        assumeFalse(measurement.failure().contains("UnsatisfiedLinkError"), measurement.failure());
        assertThat(measurement.failure()).isEmpty();
        for (Metric metric : metrics) {
            assertThat(measurement.figure(metric)).as("%s", metric).isPresent();
            assertThat(measurement.figure(metric).getAsDouble()).as("%s", metric).isNotNegative();
        }
    }

    /** Each of Netty's programs over UCX, and one of them over the kernel's TCP. */
    static Stream<Contender> nettyPrograms() {
        return Stream.concat(all().filter(row -> row.name().equals("netty-echo-8-spinning")).map(Row::theirs),
                all().filter(row -> List.of("netty-echo-8", "netty-echo-1M-spinning", "netty-http-get", "netty-rsocket",
                "netty-grpc", "netty-http-rate-spinning").contains(row.name())).map(Row::ours));
    }

    @ParameterizedTest
    @MethodSource("nettyPrograms")
    void measuresProgramsOfNetty(Contender contender) throws InterruptedException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        Measurement measurement = processes.measure(contender);

        assertThat(measurement.failure()).isEmpty();
        assertThat(measurement.figure(Metric.CPU).orElse(0)).isPositive();
        assertThat(measurement.figure(Metric.P50).orElse(0)).isPositive();
        assertThat(measurement.figure(Metric.P99).orElse(0)).isPositive();
        assertThat(measurement.figure(Metric.BANDWIDTH).orElse(0)).isPositive();
    }

    @Test
    void saysWhyThereIsNoFigure() throws InterruptedException {
        Measurement measurement = processes.measure(Contender.peer("nobody", "nobody"));
        assertThat(measurement.hasFailed()).isTrue();
        assertThat(measurement.failure()).contains("ended before it was ready").contains("nobody");
        assertThat(measurement.figure(Metric.P50)).isEmpty();
    }

    @Test
    void namesEachCaseOnce() {
        List<String> names = Stream.concat(Cases.all().stream(), Sweeps.all().stream())
                .flatMap(each -> each.rows().stream()).map(Row::name).toList();
        assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThan(40);
    }

    @Test
    void measuresEachContenderOnceARound() {
        assertThat(Cases.all().stream().flatMap(each -> each.contenders().stream())).doesNotHaveDuplicates();
    }

    @Test
    void turnsALoadIntoARate() {
        Contender closed = Contender.peer("RSocket, closed loop", "rsocket", "--tcp");
        Contender half = closed.atLoad(50);
        assertThat(half.load()).isEqualTo(50);
        assertThat(half.name()).isEqualTo("RSocket, load 50 %");
        assertThat(half.argumentsOfClosedLoop()).isEqualTo(closed.arguments());
        assertThat(half.atRate(1234).arguments()).containsExactly("rsocket", "--tcp", "--rate", "1234");
    }

    @Test
    void namesEachContenderOnce() {
        Set<Contender> contenders = new LinkedHashSet<>();
        Stream.concat(Cases.all().stream(), Sweeps.all().stream()).forEach(each ->
                contenders.addAll(each.contenders()));
        assertThat(contenders.stream().map(Contender::name)).doesNotHaveDuplicates();
    }

    /** Timed operations and a stream, of ours and of each kind of peer. */
    static Stream<Row> rowsInTurns() {
        return Cases.all().stream().flatMap(each -> each.rows().stream())
                .filter(row -> List.of("am-latency-shm-jucx", "am-rate-shm-none", "message-rate-shm-none",
                "get-bandwidth-1M-tcp-served", "netty-echo-64K", "rsocket-ucx-shm", "rsocket-ucx-bandwidth-1M-shm")
                .contains(row.name()));
    }

    @ParameterizedTest
    @MethodSource("rowsInTurns")
    void givesEachKindItsTurns(Row row) throws InterruptedException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/ucx_perftest")), "no ucx_perftest");
        Scenario scenario = Scenario.of(row);
        assumeTrue(scenario.isByTurns(), "it takes no turns");
        Progress progress = new Progress(new PrintStream(OutputStream.nullOutputStream()), 2, 1);
        TurnRound round = new TurnRounds(Cpus.of("any"), SHORT, EARLY_COMPILED, progress).measure(scenario, 1, 1)
                .getFirst();
        for (Contender contender : scenario.contenders()) {
            Measurement whole = round.wholeOf(contender);
            assumeFalse(whole.failure().contains("UnsatisfiedLinkError"), whole.failure());
            assertThat(whole.failure()).isEmpty();
            assertThat(whole.figure(row.metric())).isPresent();
        }
        Comparison comparison = Comparison.ofTurns(row, List.of(round), new HostStates(0));
        assertThat(comparison.failure()).isEmpty();
        assertThat(comparison.ratio()).isPositive();
        assertThat(round.hops()).hasSize(SHORT.turns()).noneMatch(hop -> hop.isNaN());
    }
}

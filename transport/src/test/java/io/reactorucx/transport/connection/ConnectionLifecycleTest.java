package io.reactorucx.transport.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of a connection's life: complete, as documented, and without a way to close an endpoint twice. */
class ConnectionLifecycleTest {

    private static final Path PAGE = Path.of("../docs/spec/architecture.md");
    private static final Set<ConnectionPhase> ENDPOINT_CLOSES = EnumSet.of(ConnectionPhase.CLOSING_ENDPOINT,
            ConnectionPhase.OVERDUE, ConnectionPhase.ENDPOINT_GONE, ConnectionPhase.CLOSED);

    /** The entry of each pair, in words: the next phase, or "ignored". */
    private static Map<String, String> table() {
        Map<String, String> table = new TreeMap<>();
        for (ConnectionPhase phase : ConnectionPhase.values()) {
            for (ConnectionEvent event : ConnectionEvent.values()) {
                ConnectionPhase next = ConnectionLifecycle.next(phase, event);
                table.put(phase + " " + event, next == null ? "ignored" : next.name());
            }
        }
        return table;
    }

    @Test
    void everyPairOfPhaseAndEventHasAnEntryThatThePageShows() throws IOException {
        String section = Files.readString(PAGE).split("<!-- transitions -->")[1];
        Map<String, String> documented = new TreeMap<>();
        table().keySet().forEach(pair -> documented.put(pair, "ignored"));
        Pattern row = Pattern.compile("^\\| ([A-Z_]+) \\| (.*) \\|$", Pattern.MULTILINE);
        for (MatchResult phase : row.matcher(section).results().toList()) {
            for (String entry : phase.group(2).split("; ")) {
                String[] parts = entry.split(" → ");
                for (String event : parts[0].split(", ")) {
                    assertThat(documented.put(phase.group(1) + " " + event, parts[1])).as(entry).isEqualTo("ignored");
                }
            }
        }

        assertThat(table()).hasSize(ConnectionPhase.values().length * ConnectionEvent.values().length);
        assertThat(documented).as("the table between the marks in docs/spec/architecture.md; the code says:\n" + rows())
                .isEqualTo(table());
    }

    /** The table as the page shows it. */
    private static String rows() {
        StringBuilder rows = new StringBuilder();
        for (ConnectionPhase phase : ConnectionPhase.values()) {
            Map<ConnectionPhase, List<String>> byNext = new EnumMap<>(ConnectionPhase.class);
            for (ConnectionEvent event : ConnectionEvent.values()) {
                ConnectionPhase next = ConnectionLifecycle.next(phase, event);
                if (next != null) {
                    byNext.computeIfAbsent(next, ignored -> new ArrayList<>()).add(event.name());
                }
            }
            if (!byNext.isEmpty()) {
                rows.append("| ").append(phase).append(" | ").append(byNext.entrySet().stream()
                        .map(entry -> String.join(", ", entry.getValue()) + " → " + entry.getKey())
                        .collect(Collectors.joining("; "))).append(" |\n");
            }
        }
        return rows.toString();
    }

    @Test
    void eachArrowOfTheDiagramIsInTheTable() throws IOException {
        String diagram = Files.readString(PAGE).split("stateDiagram-v2")[1].split("```")[0];
        List<MatchResult> arrows = Pattern.compile("([A-Z_]+) --> ([A-Z_]+) ?: ?([A-Z_, ]+)").matcher(diagram).results()
                .toList();

        assertThat(arrows).hasSizeGreaterThan(20).allSatisfy(arrow -> assertThat(arrow.group(3).split(", "))
                .allSatisfy(event -> assertThat(ConnectionLifecycle.next(ConnectionPhase.valueOf(arrow.group(1)),
                        ConnectionEvent.valueOf(event.strip()))).as(arrow.group())
                        .isEqualTo(ConnectionPhase.valueOf(arrow.group(2)))));
        assertThat(arrows.stream().flatMap(arrow -> Stream.of(arrow.group(1), arrow.group(2)))
                .map(ConnectionPhase::valueOf)).as("phases in the diagram").contains(ConnectionPhase.values());
    }

    @ParameterizedTest
    @EnumSource(ConnectionPhase.class)
    void eachPhaseIsReachedAndLeadsToTheEnd(ConnectionPhase phase) {
        assertThat(reachable(ConnectionPhase.CONNECTING, EnumSet.allOf(ConnectionEvent.class))).contains(phase);
        Set<ConnectionEvent> withoutTheEngine = EnumSet.complementOf(EnumSet.of(ConnectionEvent.ENGINE_CLOSED));
        assertThat(reachable(phase, withoutTheEngine)).contains(ConnectionPhase.CLOSED);
    }

    private static Set<ConnectionPhase> reachable(ConnectionPhase from, Set<ConnectionEvent> events) {
        Set<ConnectionPhase> found = EnumSet.of(from);
        List<ConnectionPhase> open = new ArrayList<>(List.of(from));
        while (!open.isEmpty()) {
            ConnectionPhase phase = open.removeLast();
            for (ConnectionEvent event : events) {
                ConnectionPhase next = ConnectionLifecycle.next(phase, event);
                if (next != null && found.add(next)) {
                    open.add(next);
                }
            }
        }
        return found;
    }

    /** UCX forbids a second close of an endpoint. */
    @Test
    void closeOfTheEndpointIsPostedOnce() {
        for (ConnectionPhase phase : ConnectionPhase.values()) {
            ConnectionPhase next = ConnectionLifecycle.next(phase, ConnectionEvent.CLOSE_STARTED);
            assertThat(next != null).as("%s, CLOSE_STARTED", phase)
                    .isEqualTo(phase == ConnectionPhase.TERMINATING || phase == ConnectionPhase.ABORTING);
        }
        for (ConnectionPhase phase : ENDPOINT_CLOSES) {
            assertThat(ENDPOINT_CLOSES).containsAll(reachable(phase, EnumSet.allOf(ConnectionEvent.class)));
        }
    }

    /** A connection on its way to the end does not open again. */
    @Test
    void lifeGoesOneWay() {
        for (ConnectionPhase phase : ConnectionPhase.values()) {
            for (ConnectionPhase later : reachable(phase, EnumSet.allOf(ConnectionEvent.class))) {
                assertThat(!phase.isConnecting() && later.isConnecting()).as("%s to %s", phase, later).isFalse();
                assertThat(phase.isEnding() && later.allowsOperations()).as("%s to %s", phase, later).isFalse();
            }
        }
        assertThat(reachable(ConnectionPhase.CLOSED, EnumSet.allOf(ConnectionEvent.class)))
                .containsExactly(ConnectionPhase.CLOSED);
    }

    /**
     * Nothing waits for ever: the deadline means something wherever a peer, or the application, could take its time.
     */
    @ParameterizedTest
    @EnumSource(value = ConnectionPhase.class, mode = EnumSource.Mode.EXCLUDE,
            names = {"TERMINATING", "ABORTING", "OVERDUE", "CLOSED"})
    void deadlineIsHeardWhereAConnectionMayWait(ConnectionPhase phase) {
        assertThat(ConnectionLifecycle.next(phase, ConnectionEvent.TIMEOUT)).isNotNull();
    }

    @Test
    void ignoredEventLeavesThePhaseAsItIs() {
        ConnectionLifecycle life = new ConnectionLifecycle();

        assertThat(life.advance(ConnectionEvent.FIN)).isFalse();
        assertThat(life.phase()).isEqualTo(ConnectionPhase.CONNECTING);
        assertThat(life.advance(ConnectionEvent.HANDSHAKE_DONE)).isTrue();
        assertThat(life.phase()).isEqualTo(ConnectionPhase.CONNECTED);
    }
}

package io.reactorucx.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The two tables of a stream's life: as documented, and each state on a way from the first to the last. */
class StreamStateTest {

    private static final Path PAGE = Path.of("../docs/spec/architecture.md");

    @Test
    void thisSidesStatesAreAsThePageShows() throws IOException {
        compare("<!-- states of a stream -->", StreamState.values(), StreamState.Event.values(), StreamState::after);
    }

    @Test
    void thePeersStatesAreAsThePageShows() throws IOException {
        compare("<!-- states of the peer -->", PeerState.values(), PeerState.Event.values(), PeerState::after);
    }

    private static <S extends Enum<S>, E extends Enum<E>> void compare(String mark, S[] states, E[] events,
            BiFunction<S, E, S> after) throws IOException {
        Map<String, String> table = new TreeMap<>();
        Map<String, String> documented = new TreeMap<>();
        for (S state : states) {
            for (E event : events) {
                table.put(state + " " + event, after.apply(state, event).name());
                documented.put(state + " " + event, state.name());
            }
        }
        Pattern row = Pattern.compile("^\\| ([A-Z_]+) \\| (.*) \\|$", Pattern.MULTILINE);
        for (MatchResult state : row.matcher(Files.readString(PAGE).split(mark)[1]).results().toList()) {
            for (String entry : state.group(2).split("; ")) {
                String[] parts = entry.split(" → ");
                for (String event : parts[0].split(", ")) {
                    assertThat(documented.put(state.group(1) + " " + event, parts[1])).as(entry)
                            .isEqualTo(state.group(1));
                }
            }
        }

        assertThat(documented).as("the table between the marks in docs/spec/architecture.md; the code says:\n"
                + Arrays.stream(states).map(state -> row(state, events, after)).collect(Collectors.joining()))
                .isEqualTo(table);
    }

    /** The row of a state as the page shows it, empty for one that is never left. */
    private static <S extends Enum<S>, E extends Enum<E>> String row(S state, E[] events, BiFunction<S, E, S> after) {
        Map<S, List<String>> byNext = new LinkedHashMap<>();
        for (E event : events) {
            S next = after.apply(state, event);
            if (next != state) {
                byNext.computeIfAbsent(next, ignored -> new ArrayList<>()).add(event.name());
            }
        }
        return byNext.isEmpty() ? "" : "| " + state + " | " + byNext.entrySet().stream()
                .map(entry -> String.join(", ", entry.getValue()) + " → " + entry.getKey())
                .collect(Collectors.joining("; ")) + " |\n";
    }

    @ParameterizedTest
    @EnumSource
    void eachStateIsReachedAndLeadsToTheEnd(StreamState state) {
        assertThat(reachable(StreamState.OPENING)).contains(state);
        assertThat(state.after(StreamState.Event.ENDED)).isEqualTo(StreamState.ENDED);
    }

    /** A channel that has closed does not open again, and an open stream goes back to no opening. */
    @ParameterizedTest
    @EnumSource
    void lifeGoesOneWay(StreamState state) {
        for (StreamState later : reachable(state)) {
            assertThat(state.isClosed() && !later.isClosed()).as("%s to %s", state, later).isFalse();
            assertThat(state.isOpen() && !later.isOpen() && !later.isEnded()).as("%s to %s", state, later).isFalse();
        }
    }

    /** What the channel has written before it closed still goes, whether or not the stream was open then. */
    @Test
    void closeAndOpeningLeadToTheSameStateInEitherOrder() {
        StreamState closedFirst = StreamState.OPENING.after(StreamState.Event.CLOSED);

        assertThat(closedFirst.isOpen()).isFalse();
        assertThat(closedFirst.after(StreamState.Event.OPENED)).isEqualTo(StreamState.CLOSING)
                .isEqualTo(StreamState.OPENING.after(StreamState.Event.OPENED).after(StreamState.Event.CLOSED));
    }

    @ParameterizedTest
    @EnumSource
    void aPeerThatHasClosedStaysClosed(PeerState.Event event) {
        assertThat(PeerState.CLOSED.after(event)).isEqualTo(PeerState.CLOSED);
    }

    /** RESET over the link and the end of the socket come in either order: together they are a close in order. */
    @Test
    void refusalAndEndOfTheSocketAreACloseInEitherOrder() {
        assertThat(PeerState.KNOWN.after(PeerState.Event.REFUSED).after(PeerState.Event.LEFT))
                .isEqualTo(PeerState.CLOSED)
                .isEqualTo(PeerState.KNOWN.after(PeerState.Event.LEFT).after(PeerState.Event.REFUSED));
    }

    @ParameterizedTest
    @EnumSource
    void eachStateOfThePeerIsReachedAndMayEndInAClose(PeerState state) {
        assertThat(reachable(PeerState.UNKNOWN, PeerState.Event.values(), PeerState::after)).contains(state);
        assertThat(state.after(PeerState.Event.CLOSED)).isEqualTo(PeerState.CLOSED);
    }

    private static <S extends Enum<S>, E> Set<S> reachable(S from, E[] events, BiFunction<S, E, S> after) {
        Set<S> found = EnumSet.of(from);
        List<S> open = new ArrayList<>(found);
        while (!open.isEmpty()) {
            S state = open.removeLast();
            for (E event : events) {
                S next = after.apply(state, event);
                if (found.add(next)) {
                    open.add(next);
                }
            }
        }
        return found;
    }

    private static Set<StreamState> reachable(StreamState from) {
        return reachable(from, StreamState.Event.values(), StreamState::after);
    }
}

package io.reactorucx.transport.frame;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A constant is reserved, and a protocol's is in the list from which engines register handlers. */
class ReservedMessageIdsTest {

    /** They bound the others. */
    private static final Set<String> BOUNDS = Set.of("FIRST", "LAST");
    /** Connections handle these themselves. */
    private static final Set<String> OF_CONNECTIONS = Set.of("CONTROL", "PAIRING");

    private static int value(Field constant) {
        try {
            return constant.getInt(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static TreeMap<Integer, String> constants() {
        return Arrays.stream(ReservedMessageIds.class.getFields())
                .filter(field -> field.getType() == int.class && !BOUNDS.contains(field.getName()))
                .collect(Collectors.toMap(ReservedMessageIdsTest::value, Field::getName, (one, other) -> {
                    throw new AssertionError(one + " and " + other + " have one id");
                }, TreeMap::new));
    }

    @Test
    void reservedIdsAreThoseOfTheConstants() {
        assertThat(constants().keySet()).containsExactlyElementsOf(
                IntStream.rangeClosed(ReservedMessageIds.FIRST, ReservedMessageIds.LAST).boxed().toList());
    }

    /** Without that no engine receives a message of the protocol. */
    @Test
    void eachProtocolIsInTheListOfProtocols() {
        assertThat(constants().entrySet().stream().filter(entry -> !OF_CONNECTIONS.contains(entry.getValue()))
                .map(Map.Entry::getKey)).containsExactlyInAnyOrderElementsOf(
                        ReservedMessageIds.ofProtocols());
    }
}

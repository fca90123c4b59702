package io.reactorucx.examples.doctor.facts;

import java.util.List;

/**
 * A memory domain of UCX and its transports.
 *
 * @param name its name
 * @param problem why it cannot be opened; empty when it can, otherwise the rest is empty
 * @param flags its capabilities, by UCX's names
 * @param registrableTypes types of memory that it can register
 * @param fixedCostSeconds time of a registration regardless of its size
 * @param costSecondsPerByte additional time for each byte
 * @param packedKeyBytes size of a packed remote key
 * @param localCpus processors near to it, such as {@code 0-3,8}
 * @param transports its transports
 */
public record MemoryDomain(String name, String problem, List<String> flags, List<String> registrableTypes,
        double fixedCostSeconds, double costSecondsPerByte, long packedKeyBytes, String localCpus,
        List<Transport> transports) {

    public static MemoryDomain closed(String name, String problem) {
        return new MemoryDomain(name, problem, List.of(), List.of(), 0, 0, 0, "", List.of());
    }
}

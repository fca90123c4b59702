package io.reactorucx.memory;

/**
 * What has been served of this side's memory.
 *
 * @param windows windows that are exported, those included that are being revoked
 * @param maxWindows most that may be
 * @param served requests that were done
 * @param refused requests that got an error: wrong key, missing right, out of bounds
 * @param bytes bytes that peers read or wrote, atomic operations included
 * @param violations connections that were closed because the peer broke the protocol
 */
public record ServedMemoryStatistics(int windows, int maxWindows, long served, long refused, long bytes,
        long violations) {
}

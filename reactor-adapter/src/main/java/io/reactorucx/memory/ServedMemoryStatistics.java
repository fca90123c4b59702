package io.reactorucx.memory;

/**
 * The exported memory of some resources: counts since the start, and amounts now.
 *
 * @param windows windows that are exported, including those that are being revoked
 * @param maxWindows maximum number of windows
 * @param served requests that succeeded
 * @param refused requests that failed: wrong key, missing right, out of bounds
 * @param bytes bytes that peers read or wrote, including atomic operations
 * @param violations connections that were closed because the peer violated the protocol
 */
public record ServedMemoryStatistics(int windows, int maxWindows, long served, long refused, long bytes,
        long violations) {
}

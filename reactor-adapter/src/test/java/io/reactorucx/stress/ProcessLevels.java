package io.reactorucx.stress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What the kernel says that a process holds.
 *
 * @param descriptors number of its open files
 * @param threads number of its threads
 * @param sharedMappings number of its mappings of shared memory
 */
record ProcessLevels(long descriptors, long threads, long sharedMappings) {

    static ProcessLevels of(long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        try {
            return new ProcessLevels(count(process.resolve("fd")), count(process.resolve("task")), shared(process));
        } catch (IOException e) {
            throw new UncheckedIOException("process " + pid, e);
        }
    }

    static ProcessLevels ofThis() {
        return of(ProcessHandle.current().pid());
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.count();
        }
    }

    private static long shared(Path process) throws IOException {
        try (Stream<String> lines = Files.lines(process.resolve("maps"), StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains("/dev/shm/") || line.contains("/SYSV")).count();
        }
    }
}

package io.reactorucx.examples.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The files that are mapped into a process, from the lines of {@code /proc/<pid>/maps}.
 *
 * @param lines its lines
 */
public record MemoryMaps(List<String> lines) {

    private static final int PATH_COLUMN = 5;
    private static final int HEXADECIMAL = 16;

    /** {@return what is mapped into this process now; nothing where that cannot be read} */
    public static MemoryMaps ofThisProcess() {
        try {
            return new MemoryMaps(Files.readAllLines(Path.of("/proc/self/maps")));
        } catch (IOException e) {
            return new MemoryMaps(List.of());
        }
    }

    Optional<Path> find(String fileNamePrefix) {
        return lines.stream().map(MemoryMaps::file).flatMap(Optional::stream)
                .filter(path -> path.getFileName().toString().startsWith(fileNamePrefix)).findFirst();
    }

    Optional<Path> fileAt(long address) {
        return lines.stream().filter(line -> holds(line, address)).map(MemoryMaps::file).flatMap(Optional::stream).findFirst();
    }

    private static boolean holds(String line, long address) {
        int dash = line.indexOf('-');
        int end = line.indexOf(' ');
        return dash > 0 && end > dash && Long.compareUnsigned(Long.parseUnsignedLong(line.substring(0, dash), HEXADECIMAL), address) <= 0
                && Long.compareUnsigned(address, Long.parseUnsignedLong(line.substring(dash + 1, end), HEXADECIMAL)) < 0;
    }

    private static Optional<Path> file(String line) {
        String[] columns = line.split("\\s+", PATH_COLUMN + 1);
        return columns.length > PATH_COLUMN && columns[PATH_COLUMN].startsWith("/") ? Optional.of(Path.of(columns[PATH_COLUMN]))
                : Optional.empty();
    }
}

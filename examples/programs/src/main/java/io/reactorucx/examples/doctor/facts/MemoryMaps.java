package io.reactorucx.examples.doctor.facts;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files that are mapped into a process, from the lines of {@code /proc/<pid>/maps}.
 *
 * @param lines its lines, one character for each byte; none where they cannot be read
 */
public record MemoryMaps(List<String> lines) {

    private static final int PATH_COLUMN = 5;
    private static final int HEXADECIMAL = 16;

    /** {@return the mappings of this process now; none where they cannot be read} */
    public static MemoryMaps ofThisProcess() {
        try {
            // Names of files are bytes in any encoding or none.
            return new MemoryMaps(Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return new MemoryMaps(List.of());
        }
    }

    public Optional<Path> find(String fileNamePrefix) {
        return readable().map(MemoryMaps::file).flatMap(Optional::stream)
                .filter(file -> file.startsWith(fileNamePrefix, file.lastIndexOf('/') + 1)).findFirst()
                .map(MemoryMaps::path);
    }

    public Optional<Path> fileAt(long address) {
        return readable().filter(line -> holds(line, address)).map(MemoryMaps::file).flatMap(Optional::stream)
                .findFirst().map(MemoryMaps::path);
    }

    /** The lines; throws without lines, because every process has mappings. */
    private Stream<String> readable() {
        if (lines.isEmpty()) {
            throw new IllegalStateException("the mappings of the process cannot be read");
        }
        return lines.stream();
    }

    private static boolean holds(String line, long address) {
        int dash = line.indexOf('-');
        int end = line.indexOf(' ');
        return dash > 0 && end > dash && Long.compareUnsigned(Long.parseUnsignedLong(line.substring(0, dash),
                HEXADECIMAL), address) <= 0 && Long.compareUnsigned(address,
                Long.parseUnsignedLong(line.substring(dash + 1, end), HEXADECIMAL)) < 0;
    }

    private static Optional<String> file(String line) {
        String[] columns = line.split("\\s+", PATH_COLUMN + 1);
        return columns.length > PATH_COLUMN && columns[PATH_COLUMN].startsWith("/") ? Optional.of(columns[PATH_COLUMN])
                : Optional.empty();
    }

    private static Path path(String file) {
        Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        return Path.of(new String(file.getBytes(StandardCharsets.ISO_8859_1), names));
    }
}

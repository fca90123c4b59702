package io.reactorucx.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The shared libraries that are mapped into this process ({@code /proc/self/maps}). */
final class LoadedLibraries {

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final int PATH_COLUMN = 6;

    private LoadedLibraries() {
    }

    /** Where a library is mapped from, by the start of its file name ({@code libucp.so}). */
    static Optional<Path> find(String fileNamePrefix) {
        try {
            List<String> lines = Files.readAllLines(MAPS);
            return find(lines.stream(), fileNamePrefix);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    static Optional<Path> find(Stream<String> maps, String fileNamePrefix) {
        return maps.map(line -> line.split("\\s+", PATH_COLUMN))
                .filter(columns -> columns.length == PATH_COLUMN && columns[PATH_COLUMN - 1].startsWith("/"))
                .map(columns -> Path.of(columns[PATH_COLUMN - 1]))
                .filter(path -> path.getFileName().toString().startsWith(fileNamePrefix))
                .findFirst();
    }
}

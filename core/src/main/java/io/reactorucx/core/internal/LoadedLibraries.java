package io.reactorucx.core.internal;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The shared libraries that are mapped into this process ({@code /proc/self/maps}). */
public final class LoadedLibraries {

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final int PATH_COLUMN = 6;

    private LoadedLibraries() {
    }

    /**
     * The mappings of this process, a character for each byte: file names may be in any encoding, and only line ends
     * are escaped.
     */
    public static List<String> maps() throws IOException {
        return List.of(Files.readString(MAPS, StandardCharsets.ISO_8859_1).split("\n"));
    }

    /** The file that a library is mapped from, by the start of its name ({@code libucp.so}). */
    public static Optional<Path> find(String fileNamePrefix) {
        try {
            return find(maps().stream(), fileNamePrefix);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    public static Optional<Path> find(Stream<String> maps, String fileNamePrefix) {
        return maps.map(line -> line.split("\\s+", PATH_COLUMN))
                .filter(columns -> columns.length == PATH_COLUMN && columns[PATH_COLUMN - 1].startsWith("/"))
                .map(columns -> columns[PATH_COLUMN - 1])
                .filter(file -> file.startsWith(fileNamePrefix, file.lastIndexOf('/') + 1))
                .findFirst().flatMap(LoadedLibraries::path);
    }

    /** Decodes only the name of the wanted file: other names may not be decodable. */
    private static Optional<Path> path(String file) {
        try {
            Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
            return Optional.of(Path.of(new String(file.getBytes(StandardCharsets.ISO_8859_1), names)));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }
}

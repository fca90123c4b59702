package io.reactorucx.examples.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files without a name in which slabs of buffer pools are, as far as this process has them mapped or open: pools
 * may grow up to their limits, and peers' pools are mapped page by page.
 *
 * @param residentBytes pages that are in use, of the own pool and of those of peers
 * @param ownBytes size of those that this process may write
 * @param descriptors the files that are open
 */
record PoolFiles(long residentBytes, long ownBytes, int descriptors) {

    private static final String NAME = "/memfd:reactor-ucx";
    private static final String RESIDENT = "Rss:";

    static PoolFiles now() {
        long resident = 0;
        long own = 0;
        boolean inOne = false;
        try {
            List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"), StandardCharsets.UTF_8);
            for (String line : lines) {
                String first = line.split(" ", 2)[0];
                if (!first.endsWith(":")) {
                    inOne = line.contains(NAME);
                    own += inOne && line.contains(" rw") ? bytes(first) : 0;
                } else if (inOne && first.equals(RESIDENT)) {
                    resident += Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
            return new PoolFiles(resident, own, openFiles());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long bytes(String addresses) {
        String[] bounds = addresses.split("-");
        return Long.parseUnsignedLong(bounds[1], 16) - Long.parseUnsignedLong(bounds[0], 16);
    }

    private static int openFiles() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return (int) descriptors.filter(PoolFiles::isOfAPool).count();
        }
    }

    private static boolean isOfAPool(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith(NAME);
        } catch (IOException e) {
            return false; // Closed meanwhile.
        }
    }
}

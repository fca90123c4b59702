package io.reactorucx.uct.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Mappings that this process may share with others ({@code /proc/self/maps}); the JVM's own memory is in none of them.
 */
public final class SharedMappings {

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Pattern LINE = Pattern.compile("([0-9a-f]+)-([0-9a-f]+) rw.s .*", Pattern.DOTALL);

    private SharedMappings() {
    }

    /** Returns whether a range lies within one mapping that is shared, readable and writable. */
    public static boolean contain(long address, long length) {
        try {
            return contain(List.of(Files.readString(MAPS, StandardCharsets.ISO_8859_1).split("\n")), address, length);
        } catch (IOException e) {
            return false;
        }
    }

    public static boolean contain(List<String> maps, long address, long length) {
        return maps.stream().map(LINE::matcher).filter(Matcher::matches).anyMatch(line -> {
            long start = Long.parseUnsignedLong(line.group(1), 16);
            long end = Long.parseUnsignedLong(line.group(2), 16);
            return Long.compareUnsigned(address, start) >= 0 && Long.compareUnsigned(length, end - start) <= 0
                    && Long.compareUnsigned(address, end - length) <= 0;
        });
    }
}

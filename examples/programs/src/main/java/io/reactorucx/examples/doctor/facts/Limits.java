package io.reactorucx.examples.doctor.facts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the limits of a process from {@code /proc/<pid>/limits}. */
public record Limits(List<String> lines) {

    public static Limits read(Path file) {
        try {
            return new Limits(Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The soft limit; {@link Long#MAX_VALUE} for unlimited. */
    public long soft(String name) {
        return lines.stream().filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length()).strip().split("\\s+")[0])
                .mapToLong(value -> value.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(value)).findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no limit '" + name + "'"));
    }
}

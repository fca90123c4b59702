package io.reactorucx.core.internal.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The limit of open files and sockets of this process. */
public final class OpenFileLimit {

    /** A worker needs about 30 descriptors over the default transports, a connection several. */
    private static final long FEW = 64;
    /** Without these UCX aborts the process: its clean-up of a thread that could not start fails an assertion. */
    private static final long LEAST = 16;
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final String NAME = "Max open files";
    private static final String REMEDY = "UCX needs dozens for a worker and several for a connection: raise the limit"
            + " (ulimit -n 65536; LimitNOFILE=65536 in a systemd unit; --ulimit nofile=65536 for docker run)";

    private OpenFileLimit() {
    }

    /** Returns an explanation with the remedy if few or no descriptors are left, else null. */
    public static @Nullable String explanation() {
        return explanation(FEW);
    }

    /** Returns an explanation with the remedy if too few descriptors are left for a worker, else null. */
    public static @Nullable String shortage() {
        return explanation(LEAST);
    }

    private static @Nullable String explanation(long needed) {
        long limit;
        try {
            limit = limit(Files.readAllLines(LIMITS, StandardCharsets.US_ASCII));
        } catch (IOException e) {
            return isLimit(e) ? "this process may open no more files; " + REMEDY : null;
        }
        String[] open = OPEN.toFile().list();
        // The list needs a descriptor itself.
        long used = open == null ? limit : open.length;
        return limit - used >= needed ? null
                : "this process has " + used + " of at most " + limit + " files open; " + REMEDY;
    }

    private static boolean isLimit(Throwable error) {
        String message = error.getMessage();
        return message != null && message.contains("Too many open files");
    }

    private static long limit(List<String> limits) {
        for (String line : limits) {
            if (line.startsWith(NAME)) {
                String soft = line.substring(NAME.length()).strip().split(" +")[0];
                return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
            }
        }
        return Long.MAX_VALUE;
    }
}

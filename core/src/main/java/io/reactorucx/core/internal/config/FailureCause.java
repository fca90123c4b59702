package io.reactorucx.core.internal.config;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.internal.process.LockedMemoryLimit;
import io.reactorucx.core.internal.process.OpenFileLimit;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the limit of the process or the setting that is the likely cause when UCX cannot make something: UCX reports a
 * status only, and writes the rest to its own log.
 */
public final class FailureCause {

    static final String DEFAULT_DIRECTORY = "/dev/shm";
    private static final String POSIX_DIR = "POSIX_DIR";
    private static final Set<UcxStatus> WITHOUT_FILES = EnumSet.of(UcxStatus.IO_ERROR, UcxStatus.NO_RESOURCE,
            UcxStatus.NO_MEMORY, UcxStatus.NO_DEVICE, UcxStatus.UNREACHABLE, UcxStatus.SHMEM_SEGMENT);
    /** The statuses with which the creation of queues, registration and pools of buffers end without locked memory. */
    private static final Set<UcxStatus> WITHOUT_LOCKED_MEMORY = EnumSet.of(UcxStatus.IO_ERROR, UcxStatus.NO_MEMORY);
    private static final Set<UcxStatus> WITHOUT_TRANSPORT = EnumSet.of(UcxStatus.NO_DEVICE, UcxStatus.NO_ELEM);

    private FailureCause() {
    }

    /** Throws when the process may open too few files: UCX would abort it. */
    public static void requireFiles(String operation) {
        String shortage = OpenFileLimit.shortage();
        if (shortage != null) {
            throw new UcxException(UcxStatus.NO_RESOURCE, operation, null, shortage);
        }
    }

    /** Throws the error of a call that makes a context or a worker and has failed; returns after one that has not. */
    public static void check(int rawStatus, String operation, UcxSettings settings) {
        if (rawStatus < 0) {
            UcxStatus status = UcxStatus.of(rawStatus);
            String resource = resource(status, settings, RdmaDevices.OF_HOST,
                    LockedMemoryLimit.OF_PROCESS.explanation());
            throw explained(rawStatus, operation, null, resource != null ? resource
                    : setting(status, settings, RdmaDevices.OF_HOST));
        }
    }

    /** Returns the error of a call that does not read settings. */
    public static UcxException explained(int rawStatus, String operation, @Nullable String peer, UcxSettings settings) {
        return explained(rawStatus, operation, peer, resource(UcxStatus.of(rawStatus), settings, RdmaDevices.OF_HOST,
                LockedMemoryLimit.OF_PROCESS.explanation()));
    }

    /** Returns the error of a call that has failed with some settings, besides those of the environment. */
    static UcxException explainedBySettings(int rawStatus, String operation, Map<String, String> given) {
        UcxStatus status = UcxStatus.of(rawStatus);
        String resource = resource(status, given);
        return explained(rawStatus, operation, null, resource != null ? resource : setting(status, given));
    }

    private static UcxException explained(int rawStatus, String operation, @Nullable String peer,
            @Nullable String cause) {
        UcxStatus status = UcxStatus.of(rawStatus);
        return cause == null ? new UcxException(rawStatus, operation, peer)
                : new UcxException(status, operation, peer, status.description() + ": " + cause);
    }

    /**
     * Returns which resource is exhausted, or null when none seems to be.
     *
     * @param locked what is to be said of a limit of locked memory, null if there is none
     */
    static @Nullable String resource(UcxStatus status, UcxSettings settings, RdmaDevices devices,
            @Nullable String locked) {
        String resource = resource(status, settings.given());
        return resource == null && WITHOUT_LOCKED_MEMORY.contains(status) && devices.mayBeUsed(settings) ? locked
                : resource;
    }

    private static @Nullable String resource(UcxStatus status, Map<String, String> given) {
        String files = WITHOUT_FILES.contains(status) ? OpenFileLimit.explanation() : null;
        if (files != null) {
            return files;
        }
        return status != UcxStatus.SHMEM_SEGMENT ? null : sharedMemory(given.getOrDefault(POSIX_DIR,
                System.getenv().getOrDefault("UCX_" + POSIX_DIR, DEFAULT_DIRECTORY)));
    }

    /** Returns which settings may be wrong, and which ports of RDMA are not there, or null for none. */
    static @Nullable String setting(UcxStatus status, UcxSettings settings, RdmaDevices devices) {
        String setting = setting(status, settings.given());
        TransportChoice choice = TransportChoice.of(settings);
        if (!WITHOUT_TRANSPORT.contains(status) || !choice.mayUseRdma()) {
            return setting;
        }
        String ports = devices.unusable(choice.rdmaPorts());
        return setting == null || ports.isEmpty() ? setting : setting + "; " + ports;
    }

    /** Returns which settings may be wrong, or null when the status is none of those that wrong ones lead to. */
    private static @Nullable String setting(UcxStatus status, Map<String, String> given) {
        if (status == UcxStatus.INVALID_PARAM) {
            String set = shown(given, "");
            return set.isEmpty() ? null : "UCX cannot read the value of one of these settings and variables, and names"
                    + " it in its log: " + set + "; correct or remove it";
        }
        if (WITHOUT_TRANSPORT.contains(status)) {
            String set = shown(given, "TLS|.*_?DEVICES|.*_TLS");
            return set.isEmpty() ? null : "no transport or device is left by " + set + "; ucx_info -d lists the names"
                    + " that this host has";
        }
        return null;
    }

    /** Returns what is wrong with the directory of shared memory, or null when nothing seems to be. */
    private static @Nullable String sharedMemory(String directory) {
        try {
            Path path = Path.of(directory);
            return Files.isDirectory(path) && Files.isWritable(path) ? null : directory
                    + " cannot be written to, where UCX's transport posix keeps its shared memory: mount it writable"
                    + " (mount -o remount,rw,size=1g " + directory + "; --shm-size=1g for docker run), or leave posix"
                    + " out of the context's transports";
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** Returns the settings and the variables of UCX whose names match, with their values. */
    private static String shown(Map<String, String> given, String names) {
        Map<String, String> found = new TreeMap<>();
        given.forEach((key, value) -> {
            if (names.isEmpty() || key.matches(names)) {
                found.put(key, value);
            }
        });
        System.getenv().forEach((key, value) -> {
            int start = key.indexOf(UcxSettings.PREFIX);
            if (start >= 0 && (names.isEmpty() || key.substring(start + UcxSettings.PREFIX.length()).matches(names))) {
                found.put(key, value);
            }
        });
        return found.entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}

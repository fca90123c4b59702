package io.reactorucx.core.internal;

import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Variables that UCX reads while it is being loaded, set through the C library since the JVM cannot change its own.
 *
 * <p>Without them UCX's constructor takes SIGSEGV and SIGHUP from the JVM (an implicit null check then ends the
 * process) and patches {@code mmap} and its kin in a process that has threads already.
 */
public final class NativeEnvironment {

    private static final Logger LOG = LoggerFactory.getLogger(NativeEnvironment.class);
    private static final ReentrantLock LOCK = new ReentrantLock();
    /** One object for the process, also for this class in other class loaders. */
    private static final Object PROCESS = "io.reactorucx.core.internal.NativeEnvironment".intern();

    private NativeEnvironment() {
    }

    public static void prepare() {
        set("UCX_ERROR_SIGNALS", "", true);
        set("UCX_DEBUG_SIGNO", "", true);
        set("UCX_HANDLE_ERRORS", "none", true);
        // With these UCX patches nothing, and UCX 1.16 to 1.21 can still have the registration cache that they need,
        // see NativeLibrary.
        set("UCX_MEM_MMAP_HOOK_MODE", "none", false);
        set("UCX_MEM_MALLOC_HOOKS", "n", false);
        set("UCX_VFS_ENABLE", "n", false);
        set("UCX_WARN_UNUSED_ENV_VARS", "n", false);
        // Without these UCX leaves shared memory out between peers that watch each other.
        set("UCX_POSIX_ERROR_HANDLING", "y", false);
        set("UCX_SYSV_ERROR_HANDLING", "y", false);
        // A peer makes UCX warn, as with messages of ids that have no handler, and would fill the log.
        set("UCX_LOG_LEVEL", "error", false);
        // A restarted server can bind its port at once, while connections of its predecessor are in TIME_WAIT.
        set("UCX_TCP_CM_REUSEADDR", "y", false);
        if (get("UCX_MEM_MMAP_HOOK_MODE").filter("reloc"::equals).isPresent()) {
            LOG.warn("UCX_MEM_MMAP_HOOK_MODE=reloc makes UCX deadlock while it is loaded; using none instead");
            set("UCX_MEM_MMAP_HOOK_MODE", "none", true);
        }
    }

    /**
     * Runs native calls with some variables set, and restores the old values. One call at a time, since the environment
     * belongs to the process.
     */
    public static <T> T with(Map<String, String> variables, Supplier<T> nativeCalls) {
        LOCK.lock();
        try {
            return withLocked(variables, nativeCalls);
        } finally {
            LOCK.unlock();
        }
    }

    private static <T> T withLocked(Map<String, String> variables, Supplier<T> nativeCalls) {
        synchronized (PROCESS) {
            Map<String, Optional<String>> before = new HashMap<>();
            variables.keySet().forEach(name -> before.put(name, get(name)));
            try {
                variables.forEach((name, value) -> set(name, value, true));
                return CLocale.call(nativeCalls);
            } finally {
                before.forEach((name, value) -> value.ifPresentOrElse(text -> set(name, text, true),
                        () -> unset(name)));
            }
        }
    }

    private static void set(String name, String value, boolean overwrite) {
        try (Arena arena = Arena.ofConfined()) {
            ucx_h.setenv(arena.allocateFrom(name), arena.allocateFrom(value), overwrite ? 1 : 0);
        }
    }

    private static void unset(String name) {
        try (Arena arena = Arena.ofConfined()) {
            UcpCompat.unsetenv(arena.allocateFrom(name));
        }
    }

    /** The value of a variable, not one that {@link #with} has set in another thread. */
    public static Optional<String> get(String name) {
        LOCK.lock();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = ucx_h.getenv(arena.allocateFrom(name));
            return value.address() == 0 ? Optional.empty() : Optional.of(value.getString(0));
        } finally {
            LOCK.unlock();
        }
    }
}

package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnavailableException;
import io.reactorucx.core.ffi.OpenedLibraries;
import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.CLocale;
import io.reactorucx.core.internal.LoadedLibraries;
import io.reactorucx.core.internal.NativeEnvironment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads libucs, libuct and libucp once, in an order that is safe in a JVM, and never unloads them. */
final class NativeLibrary {

    /** Folder with the libraries, instead of the system's. */
    static final String PATH_PROPERTY = "io.reactorucx.library.path";

    /** Tells this class, as another class loader of the process defines it, that this one has loaded UCX. */
    private static final String LOADED_PROPERTY = "io.reactorucx.library.loaded";

    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);
    private static volatile boolean reportsUnmappedMemory;
    private static final List<String> DEPENDENCIES = List.of("libucm.so.0", "libucs.so.0", "libuct.so.0",
            "libucp.so.0");
    private static final List<String> BOUND = List.of("libucs.so", "libuct.so", "libucp.so");
    private static final String INSTALL = "Install UCX 1.13 or newer: 'apt-get install libucx0' on Debian and Ubuntu,"
            + " 'dnf install ucx' on Fedora and RHEL, 'conda install -c conda-forge ucx' elsewhere; or name the folder"
            + " of libucp.so.0 by -D" + PATH_PROPERTY;

    private NativeLibrary() {
    }

    static UcxVersion load() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        if (!os.contains("linux")) {
            throw new UcxUnavailableException("UCX runs on Linux, this is " + os, "Use a Linux host", null);
        }
        try {
            Optional<Path> loadedBefore = LoadedLibraries.find("libucs.so");
            boolean loadedByOther = loadedBefore.isPresent() && System.getProperty(LOADED_PROPERTY) == null;
            if (loadedByOther) {
                warnLoadedBefore(loadedBefore.get());
            }
            NativeEnvironment.prepare();
            CLocale.call(() -> {
                open(System.getProperty(PATH_PROPERTY));
                return null;
            });
            System.setProperty(LOADED_PROPERTY, "true");
            if (loadedByOther && UcpCompat.has("ucs_debug_disable_signals")) {
                UcpCompat.ucs_debug_disable_signals();
            }
            UcxVersion version = checkedVersion();
            allowRegistrationCache(version);
            keepThreadForEvents(version);
            return version;
        } catch (IllegalCallerException e) {
            throw nativeAccessDenied(e);
        } catch (ExceptionInInitializerError e) {
            // The first restricted call is in the initializer of a generated class.
            if (e.getCause() instanceof IllegalCallerException denied) {
                throw nativeAccessDenied(denied);
            }
            throw e;
        }
    }

    private static UcxUnavailableException nativeAccessDenied(IllegalCallerException e) {
        Module module = NativeLibrary.class.getModule();
        return new UcxUnavailableException("The JVM does not allow native access to this library",
                "Start java with --enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED"), e);
    }

    private static void warnLoadedBefore(Path path) {
        LOG.warn("{} was loaded before Reactor UCX could prepare its environment: UCX may have taken the JVM's signal"
                + " handlers and patched memory functions. Load Reactor UCX first, or set UCX_ERROR_SIGNALS,"
                + " UCX_DEBUG_SIGNO to nothing and UCX_MEM_MMAP_HOOK_MODE=none in the environment of the process",
                path);
    }

    /**
     * UCX 1.16 to 1.21 follow a null pointer when a peer fails during a rendezvous and the context has no registration
     * cache, which it gets only where UCX is notified of unmapped memory. When the application announces that it will
     * notify UCX itself, no hooks are needed: {@link RegistrationCache} does.
     */
    private static void allowRegistrationCache(UcxVersion version) {
        if (!version.isAtLeast(1, 16) || version.isAtLeast(1, 22) || !UcpCompat.has("ucm_set_external_event")
                || !UcpCompat.has("ucm_vm_munmap")) {
            return;
        }
        if (NativeEnvironment.get("UCX_MEM_EVENTS").filter(value -> value.matches("(?i)n|no|off|0")).isPresent()) {
            LOG.warn("UCX_MEM_EVENTS=n makes UCX {} end the process when a peer fails during a rendezvous:"
                    + " leave it out", version);
        } else if (NativeEnvironment.get("UCX_MEM_MMAP_HOOK_MODE").filter("none"::equals).isPresent()) {
            UcpCompat.ucm_set_external_event(UcpCompat.UCM_EVENT_VM_MAPPED | UcpCompat.UCM_EVENT_VM_UNMAPPED);
            reportsUnmappedMemory = true;
        }
    }

    /** Returns whether UCX relies on this library to report memory that is unmapped. */
    static boolean reportsUnmappedMemory() {
        return reportsUnmappedMemory;
    }

    /**
     * UCX has a thread for the events of descriptors while there are any. With assertions 1.23 asks at every operation
     * whether it is on that thread, and follows a null pointer where there is none: where all transports of the process
     * are like self, which has no descriptor. A descriptor without events keeps the thread alive.
     */
    private static void keepThreadForEvents(UcxVersion version) {
        if (!version.isAtLeast(1, 23) || !UcpCompat.has("ucs_async_set_event_handler")
                || !UcpCompat.has("ucs_empty_function")) {
            return;
        }
        int descriptor = UcpCompat.eventDescriptor();
        byte status = descriptor < 0 ? (byte) UcxStatus.NO_RESOURCE.code() : UcpCompat.watchForNothing(descriptor);
        if (status != UcxStatus.OK.code()) {
            LOG.warn("UCX {} has no thread for events ({}): without another transport, the first operation over self"
                    + " may end the process", version, UcxStatus.of(status));
        }
    }

    private static void open(@Nullable String folder) {
        if (folder == null) {
            lookup("libucp.so.0", INSTALL);
        } else {
            Path path = Path.of(folder).toAbsolutePath();
            for (String dependency : DEPENDENCIES) {
                Path file = path.resolve(dependency);
                if (!Files.exists(file)) {
                    throw new UcxUnavailableException("There is no " + dependency + " in " + path
                            + ", the folder that -D" + PATH_PROPERTY + " names",
                            "Name the folder that holds libucp.so.0 and its sister libraries", null);
                }
                lookup(file.toString(), "Check that " + path + " holds a complete UCX for this machine's architecture");
            }
        }
        for (String bound : BOUND) {
            Path path = LoadedLibraries.find(bound).orElseThrow(() -> new UcxUnavailableException(
                    bound + " was loaded but is not in /proc/self/maps", "Check that /proc is mounted", null));
            OpenedLibraries.add(lookup(path.toString(), "Check that no process replaces " + path));
        }
    }

    /** Opens a library for the life of the process: its constructor cannot be undone by unloading it. */
    private static SymbolLookup lookup(String library, String remedy) {
        try {
            return SymbolLookup.libraryLookup(library, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new UcxUnavailableException(library + " cannot be loaded: " + e.getMessage(), remedy, e);
        }
    }

    private static UcxVersion checkedVersion() {
        UcxVersion version = version();
        if (version.compareTo(UcxVersion.MINIMUM) < 0) {
            throw new UcxUnavailableException("UCX " + version + " is too old, " + UcxVersion.MINIMUM
                    + " is the oldest that works", INSTALL, null);
        }
        return version;
    }

    private static UcxVersion version() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(ValueLayout.JAVA_INT, 3);
            ucx_h.ucp_get_version(numbers, numbers.asSlice(4), numbers.asSlice(8));
            return new UcxVersion(numbers.getAtIndex(ValueLayout.JAVA_INT, 0),
                    numbers.getAtIndex(ValueLayout.JAVA_INT, 1), numbers.getAtIndex(ValueLayout.JAVA_INT, 2));
        }
    }
}

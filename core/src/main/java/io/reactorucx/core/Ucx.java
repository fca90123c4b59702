package io.reactorucx.core;

import io.reactorucx.core.error.UcxUnavailableException;
import io.reactorucx.core.ffi.ucp_lib_attr;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.LoadedLibraries;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether UCX can be used in this process, and which version it is. The first question loads the library.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the library stays loaded for the life of the process.
 * <b>Errors:</b> {@link #ensureAvailable()} throws {@link UcxUnavailableException} with the cause and the remedy.
 */
public final class Ucx {

    private static final long MAX_VERSION_BYTES = 64;

    /**
     * The version of UCX's headers, which the bindings have, too; but those cannot be asked where the JVM denies native
     * access. A test compares the two.
     */
    private static final UcxVersion HEADERS = new UcxVersion(1, 23, 0);

    private Ucx() {
    }

    private static final class Loaded {
        static final @Nullable UcxVersion VERSION;
        static final @Nullable UcxUnavailableException CAUSE;

        static {
            UcxVersion version = null;
            UcxUnavailableException cause = null;
            try {
                version = NativeLibrary.load();
            } catch (UcxUnavailableException e) {
                cause = e;
            } catch (RuntimeException | LinkageError e) {
                cause = new UcxUnavailableException("UCX could not be loaded: " + e,
                        "Report this with the version of UCX and Java", e);
            }
            VERSION = version;
            CAUSE = cause;
        }
    }

    /** {@return whether UCX is loaded and new enough} */
    public static boolean isAvailable() {
        return Loaded.CAUSE == null;
    }

    /** {@return why UCX is not available, empty when it is} */
    public static Optional<UcxUnavailableException> unavailabilityCause() {
        return Optional.ofNullable(Loaded.CAUSE);
    }

    /**
     * Loads UCX if that has not happened yet.
     *
     * @throws UcxUnavailableException when it cannot be used
     */
    public static void ensureAvailable() {
        version();
    }

    /**
     * The version of the loaded library.
     *
     * @return the version
     * @throws UcxUnavailableException when there is none
     */
    public static UcxVersion version() {
        UcxVersion version = Loaded.VERSION;
        if (version == null) {
            throw new UcxUnavailableException(Objects.requireNonNull(Loaded.CAUSE));
        }
        return version;
    }

    /** {@return the version of the headers that the bindings were made from; its last number means nothing} */
    public static UcxVersion headersVersion() {
        return HEADERS;
    }

    /**
     * The version of the loaded library in its own words ({@code ucp_get_version_string}).
     *
     * @return for example {@code 1.13.1}
     * @throws UcxUnavailableException when there is none
     */
    public static String versionString() {
        ensureAvailable();
        return ucx_h.ucp_get_version_string().reinterpret(MAX_VERSION_BYTES).getString(0);
    }

    /**
     * Returns the highest thread mode that the loaded library allows for a worker ({@code ucp_lib_query}).
     *
     * @return {@link UcxThreadMode#MULTI}, or less for a library that was built without it
     * @throws UcxUnavailableException when there is none
     */
    public static UcxThreadMode maxThreadMode() {
        ensureAvailable();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = ucp_lib_attr.allocate(arena);
            ucp_lib_attr.field_mask(attr, ucx_h.UCP_LIB_ATTR_FIELD_MAX_THREAD_LEVEL());
            NativeStatus.check(ucx_h.ucp_lib_query(attr), "ucp_lib_query");
            return UcxThreadMode.of(ucp_lib_attr.max_thread_level(attr));
        }
    }

    /**
     * Where the loaded library stands.
     *
     * @return path of {@code libucp}, empty when UCX is not available
     */
    public static Optional<Path> libraryPath() {
        return isAvailable() ? LoadedLibraries.find("libucp.so") : Optional.empty();
    }
}

package io.reactorucx.core;

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
                cause = new UcxUnavailableException("UCX could not be loaded: " + e, "Report this with the version of UCX and Java", e);
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

    /**
     * Where the loaded library stands.
     *
     * @return path of {@code libucp}, empty when UCX is not available
     */
    public static Optional<Path> libraryPath() {
        return isAvailable() ? LoadedLibraries.find("libucp.so") : Optional.empty();
    }
}

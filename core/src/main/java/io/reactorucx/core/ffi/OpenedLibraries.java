package io.reactorucx.core.ffi;

import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/**
 * Where the bindings look for symbols: in the libraries that were opened, then in the C library.
 *
 * <p>A class loader that loads a library by {@code System.load} keeps all others from it, those of a second deployment
 * or of another plug-in; so the libraries are not loaded that way.
 */
public final class OpenedLibraries {

    private static volatile SymbolLookup opened = symbol -> Optional.empty();

    private OpenedLibraries() {
    }

    /**
     * Adds a library.
     *
     * @param library looks its symbols up, after those of the libraries before it
     */
    public static synchronized void add(SymbolLookup library) {
        opened = opened.or(library);
    }

    /** Looks a symbol up in what has been opened by then. */
    static SymbolLookup lookup() {
        return symbol -> opened.find(symbol);
    }
}

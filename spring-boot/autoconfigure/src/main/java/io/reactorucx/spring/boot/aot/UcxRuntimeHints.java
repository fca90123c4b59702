package io.reactorucx.spring.boot.aot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers the files of the library that a native image needs. Spring's hints have none for native functions. */
final class UcxRuntimeHints implements RuntimeHintsRegistrar {

    /** For Spring. */
    UcxRuntimeHints() {
    }

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/reactorucx/core/internal/*.txt");
    }
}

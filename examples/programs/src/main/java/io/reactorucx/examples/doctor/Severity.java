package io.reactorucx.examples.doctor;

import java.util.Locale;

/** The severity of a {@link Finding}. */
public enum Severity {
    /** No problem. */
    OK,
    /** Information; no action is needed. */
    NOTE,
    /** Works, but slower, with fewer features, or not always. */
    WARNING,
    /** Does not work, or may end the process. */
    ERROR;

    /** The name in lower case, for output. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package io.reactorucx.examples.doctor;

import java.util.Locale;

/** How much a {@link Finding} matters. */
public enum Severity {
    /** As it should be. */
    OK,
    /** Good to know; nothing has to be done. */
    NOTE,
    /** Works, but slower, with less, or not always. */
    WARNING,
    /** Does not work, or may end the process. */
    ERROR;

    /** The name in small letters, as it is printed. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

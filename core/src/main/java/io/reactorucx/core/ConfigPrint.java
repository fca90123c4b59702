package io.reactorucx.core;

/** A part of a configuration to print ({@code ucs_config_print_flags_t}). */
public enum ConfigPrint {
    /** Names and values. */
    CONFIG(1),
    /** A heading. */
    HEADER(1 << 1),
    /** The meaning of each setting. */
    DOC(1 << 2),
    /** Also settings that UCX hides. */
    HIDDEN(1 << 3),
    /** Prints settings with their default value as comments. */
    COMMENT_DEFAULT(1 << 4);

    private final int bit;

    ConfigPrint(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }
}

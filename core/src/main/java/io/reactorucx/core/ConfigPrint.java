package io.reactorucx.core;

/** What to print of a configuration ({@code ucs_config_print_flags_t}). */
public enum ConfigPrint {
    /** Names and values. */
    CONFIG(1),
    /** A heading. */
    HEADER(1 << 1),
    /** What each setting means. */
    DOC(1 << 2),
    /** Also what UCX hides. */
    HIDDEN(1 << 3),
    /** What has its default value becomes a comment. */
    COMMENT_DEFAULT(1 << 4);

    private final int bit;

    ConfigPrint(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }
}

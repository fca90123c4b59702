package io.reactorucx.examples;

import picocli.CommandLine.Option;

/** The option {@code --help}, for every program here. */
public final class HelpOption {

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Print this text.")
    private boolean help;

    /** For picocli. */
    public HelpOption() {
    }
}

package io.reactorucx.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The walks that the architecture page describes. */
public final class WalkPage {

    private static final Path PAGE = Path.of("../docs/spec/architecture.md");
    private static final Pattern METHOD = Pattern.compile("\\[`(\\w+\\.\\w+)`]");

    private WalkPage() {
    }

    /**
     * Returns the methods that a walk links to, in their order: {@code File.method}.
     *
     * @param walk the name in the mark before it
     */
    public static List<String> methods(String walk) {
        try {
            Matcher steps = Pattern.compile("<!-- walk of at most \\d+ files: " + walk
                    + " -->(.*?)<!-- end of walk -->", Pattern.DOTALL).matcher(Files.readString(PAGE));
            if (!steps.find()) {
                throw new IllegalArgumentException(PAGE + " has no walk " + walk);
            }
            return METHOD.matcher(steps.group(1)).results().map(link -> link.group(1)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

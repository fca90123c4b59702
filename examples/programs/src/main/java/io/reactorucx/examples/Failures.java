package io.reactorucx.examples;

import io.reactorucx.core.error.UcxException;
import reactor.core.Exceptions;

/** Describes errors in one line. */
final class Failures {

    private Failures() {
    }

    static String inOneLine(Throwable error) {
        Throwable cause = Exceptions.unwrap(error);
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof UcxException) {
                return String.valueOf(each.getMessage());
            }
        }
        String message = cause.getMessage();
        String text = cause instanceof DemoFailure && message != null ? message
                : cause.getClass().getSimpleName() + (message == null ? "" : ": " + message);
        return text.lines().findFirst().orElse(text);
    }
}

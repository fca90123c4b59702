package io.reactorucx.spring.boot.diagnostics;

import io.reactorucx.spring.boot.InvalidSecretException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do about a shared secret that is too short, without showing it. */
final class InvalidSecretFailureAnalyzer extends AbstractFailureAnalyzer<InvalidSecretException> {

    /** For Spring. */
    InvalidSecretFailureAnalyzer() {
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidSecretException cause) {
        return new FailureAnalysis("Invalid value, which is not shown, for configuration property '"
                + InvalidSecretException.PROPERTY + "'. Validation failed for the following reason:\n\n    "
                + String.valueOf(cause.getCause() == null ? cause.getMessage() : cause.getCause().getMessage()),
                "Set " + InvalidSecretException.PROPERTY + " to at least 16 bytes that nobody can guess, such as"
                + " what 'openssl rand -hex 32' prints, and to the same in all processes that connect.", cause);
    }
}

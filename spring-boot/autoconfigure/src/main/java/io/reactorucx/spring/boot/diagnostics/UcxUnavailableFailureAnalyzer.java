package io.reactorucx.spring.boot.diagnostics;

import io.reactorucx.core.error.UcxUnavailableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do where UCX cannot be used: the library is missing or too old, or native access is denied. */
final class UcxUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<UcxUnavailableException> {

    private static final String FALLBACK = "An application that shall start without UCX, too, sets"
            + " reactor.ucx.fallback=tcp and takes the kernel's TCP there.";
    private static final String NATIVE_ACCESS = "Start java with --enable-native-access=ALL-UNNAMED; for 'java -jar'"
            + " the manifest of the jar can say it: 'Enable-Native-Access: ALL-UNNAMED'. ";
    private static final String FOLLOW = "Do what the description says; reactor.ucx.library-path"
            + " names a folder of UCX, too. ";

    /** For Spring. */
    UcxUnavailableFailureAnalyzer() {
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UcxUnavailableException cause) {
        boolean denied = findCause(cause, IllegalCallerException.class) != null;
        return new FailureAnalysis("UCX cannot be used in this process: " + cause.getMessage(),
                (denied ? NATIVE_ACCESS : FOLLOW) + FALLBACK, cause);
    }
}

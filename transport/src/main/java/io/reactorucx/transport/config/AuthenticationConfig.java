package io.reactorucx.transport.config;

import io.reactorucx.security.Authenticator;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import java.util.Objects;

/** An authenticator and the name of its method, which is read once. */
public record AuthenticationConfig(Authenticator authenticator, String method) {

    private static final int MAX_METHOD_CHARACTERS = ControlFields.Key.AUTHENTICATION_METHOD.maxBytes();

    public static AuthenticationConfig of(Authenticator authenticator) {
        String method = Objects.requireNonNull(Objects.requireNonNull(authenticator, "authenticator").method(),
                "authenticator.method()");
        if (method.isEmpty() || method.length() > MAX_METHOD_CHARACTERS
                || !method.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException("authenticator.method() " + ControlFrame.shown(method)
                    + ": must be 1 to " + MAX_METHOD_CHARACTERS + " characters of ASCII, without spaces");
        }
        return new AuthenticationConfig(authenticator, method);
    }

    @Override
    public String toString() {
        return method;
    }
}

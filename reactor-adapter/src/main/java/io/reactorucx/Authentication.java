package io.reactorucx;

import java.util.Objects;

/** An authenticator, and what it calls its method, which is asked for once. */
record Authentication(Authenticator authenticator, String method) {

    private static final int MAX_METHOD_CHARACTERS = ControlFields.Key.AUTHENTICATION_METHOD.maxBytes();

    static Authentication of(Authenticator authenticator) {
        String method = Objects.requireNonNull(Objects.requireNonNull(authenticator, "authenticator").method(), "authenticator.method()");
        if (method.isEmpty() || method.length() > MAX_METHOD_CHARACTERS || !method.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException("authenticator.method() " + ControlFrame.shown(method) + ": must be 1 to "
                    + MAX_METHOD_CHARACTERS + " characters of ASCII, without spaces");
        }
        return new Authentication(authenticator, method);
    }

    @Override
    public String toString() {
        return method;
    }
}

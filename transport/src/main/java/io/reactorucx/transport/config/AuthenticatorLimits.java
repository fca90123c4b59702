package io.reactorucx.transport.config;

/**
 * Limits the steps of authenticators, separately for servers and for clients. Of the first steps at servers, those that
 * run and those that wait, one client can have half.
 *
 * @param threads steps that run at once
 * @param queuedSteps first steps of handshakes that wait for a thread; one more is refused
 */
public record AuthenticatorLimits(int threads, int queuedSteps) {

    public static final AuthenticatorLimits DEFAULT = new AuthenticatorLimits(4, 1024);

    private static final int MAX_THREADS = 1024;
    private static final int MAX_QUEUED_STEPS = 1 << 20;

    public AuthenticatorLimits {
        if (threads < 1 || threads > MAX_THREADS) {
            throw new IllegalArgumentException("threads " + threads + ": must be in 1.." + MAX_THREADS);
        }
        if (queuedSteps < 1 || queuedSteps > MAX_QUEUED_STEPS) {
            throw new IllegalArgumentException("queuedSteps " + queuedSteps + ": must be in 1.." + MAX_QUEUED_STEPS);
        }
    }
}

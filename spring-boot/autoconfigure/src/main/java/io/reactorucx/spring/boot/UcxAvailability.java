package io.reactorucx.spring.boot;

import io.reactorucx.core.error.UcxUnavailableException;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides between UCX and the kernel's TCP.
 *
 * <p><b>Threading:</b> any. <b>Ownership:</b> none. <b>Errors:</b> what keeps UCX from being used, such as a
 * {@link UcxUnavailableException}, where the properties have no fallback.
 */
public final class UcxAvailability {

    private static final Logger LOG = LoggerFactory.getLogger(UcxAvailability.class);
    private static final String REMEDY = "Netty needs Linux and io.netty:netty-transport-native-epoll of this machine's"
            + " architecture";

    private UcxAvailability() {
    }

    /**
     * Returns whether to use UCX.
     *
     * @param cause returns why UCX cannot be used, null if it can
     * @param fallback what takes its place
     * @param subject what runs over it, for the log
     * @return false if the kernel's TCP is to be used
     */
    public static boolean check(Supplier<? extends @Nullable Throwable> cause, UcxFallback fallback, String subject) {
        Throwable found = Objects.requireNonNull(cause, "cause").get();
        if (found == null) {
            return true;
        }
        if (fallback == UcxFallback.NONE) {
            throw found instanceof RuntimeException unavailable ? unavailable
                    : new UcxUnavailableException("Netty's epoll cannot be used: " + found.getMessage(), REMEDY, found);
        }
        LOG.warn("{} over the kernel's TCP, because reactor.ucx.fallback is tcp: {}", subject, found.getMessage());
        return false;
    }
}

package io.reactorucx.core.internal.socket;

import io.reactorucx.core.ffi.UcpCompat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * This library's own duplicate of an application's epoll descriptor. UCX aborts the process when it cannot add to or
 * remove from its descriptor: when the number is no epoll descriptor, or when the application has closed it.
 */
public final class EpollDescriptor implements AutoCloseable {

    private final int number;

    private EpollDescriptor(int number) {
        this.number = number;
    }

    public static EpollDescriptor duplicate(int eventFd) {
        int own = UcpCompat.duplicate(eventFd);
        if (own < 0) {
            throw new IllegalArgumentException("eventFd " + eventFd + ": no open descriptor");
        }
        String target = target(own);
        if (!target.equals("anon_inode:[eventpoll]")) {
            UcpCompat.close(own);
            throw new IllegalArgumentException("eventFd " + eventFd + ": UCX needs an epoll descriptor, this is "
                    + target);
        }
        return new EpollDescriptor(own);
    }

    private static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
        } catch (IOException e) {
            return e.toString();
        }
    }

    public int number() {
        return number;
    }

    @Override
    public void close() {
        UcpCompat.close(number);
    }
}

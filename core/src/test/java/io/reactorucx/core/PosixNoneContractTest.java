package io.reactorucx.core;

import io.reactorucx.testsupport.NoLeaks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an application may rely on, over POSIX shared memory, with no failures reported. */
@ExtendWith(NoLeaks.class)
class PosixNoneContractTest {

    @Nested
    class ActiveMessages extends ActiveMessageContract {
        ActiveMessages() {
            super(Link.POSIX_NONE);
        }
    }

    @Nested
    class Tags extends TagContract {
        Tags() {
            super(Link.POSIX_NONE);
        }
    }

    @Nested
    class RemoteMemory extends RemoteMemoryContract {
        RemoteMemory() {
            super(Link.POSIX_NONE);
        }
    }

    @Nested
    class Connecting extends ConnectContract {
        Connecting() {
            super(Link.POSIX_NONE);
        }
    }

    @Nested
    class Closing extends CloseContract {
        Closing() {
            super(Link.POSIX_NONE);
        }
    }

    @Nested
    class Atomics extends AtomicContract {
        Atomics() {
            super(Link.POSIX_NONE);
        }
    }

    @Nested
    class Datatypes extends DatatypeContract {
        Datatypes() {
            super(Link.POSIX_NONE);
        }
    }

    @Nested
    class Probing extends ProbeContract {
        Probing() {
            super(Link.POSIX_NONE);
        }
    }

    @Nested
    class Streams extends StreamContract {
        Streams() {
            super(Link.POSIX_NONE);
        }
    }
}

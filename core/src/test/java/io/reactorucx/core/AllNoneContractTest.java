package io.reactorucx.core;

import io.reactorucx.testsupport.NoLeaks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an application may rely on, over the transports that UCX chooses by itself, without a report of failures. */
@ExtendWith(NoLeaks.class)
class AllNoneContractTest {

    @Nested
    class ActiveMessages extends ActiveMessageContract {
        ActiveMessages() {
            super(Link.ALL_NONE);
        }
    }

    @Nested
    class Tags extends TagContract {
        Tags() {
            super(Link.ALL_NONE);
        }
    }

    @Nested
    class RemoteMemory extends RemoteMemoryContract {
        RemoteMemory() {
            super(Link.ALL_NONE);
        }
    }

    @Nested
    class Connecting extends ConnectContract {
        Connecting() {
            super(Link.ALL_NONE);
        }
    }

    @Nested
    class Closing extends CloseContract {
        Closing() {
            super(Link.ALL_NONE);
        }
    }

    @Nested
    class Atomics extends AtomicContract {
        Atomics() {
            super(Link.ALL_NONE);
        }
    }

    @Nested
    class Datatypes extends DatatypeContract {
        Datatypes() {
            super(Link.ALL_NONE);
        }
    }

    @Nested
    class Probing extends ProbeContract {
        Probing() {
            super(Link.ALL_NONE);
        }
    }

    @Nested
    class Streams extends StreamContract {
        Streams() {
            super(Link.ALL_NONE);
        }
    }
}

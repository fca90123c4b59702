package io.reactorucx.core;

import io.reactorucx.testsupport.NoLeaks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an application may rely on, from a worker to itself. */
@ExtendWith(NoLeaks.class)
class SelfNoneContractTest {

    @Nested
    class ActiveMessages extends ActiveMessageContract {
        ActiveMessages() {
            super(Link.SELF_NONE);
        }
    }

    @Nested
    class Tags extends TagContract {
        Tags() {
            super(Link.SELF_NONE);
        }
    }

    @Nested
    class RemoteMemory extends RemoteMemoryContract {
        RemoteMemory() {
            super(Link.SELF_NONE);
        }
    }

    @Nested
    class Connecting extends ConnectContract {
        Connecting() {
            super(Link.SELF_NONE);
        }
    }

    @Nested
    class Closing extends CloseContract {
        Closing() {
            super(Link.SELF_NONE);
        }
    }

    @Nested
    class Atomics extends AtomicContract {
        Atomics() {
            super(Link.SELF_NONE);
        }
    }

    @Nested
    class Datatypes extends DatatypeContract {
        Datatypes() {
            super(Link.SELF_NONE);
        }
    }

    @Nested
    class Probing extends ProbeContract {
        Probing() {
            super(Link.SELF_NONE);
        }
    }

    @Nested
    class Streams extends StreamContract {
        Streams() {
            super(Link.SELF_NONE);
        }
    }
}

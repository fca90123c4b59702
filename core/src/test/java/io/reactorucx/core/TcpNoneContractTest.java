package io.reactorucx.core;

import io.reactorucx.testsupport.NoLeaks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an application may rely on, over tcp, with no failures reported. */
@ExtendWith(NoLeaks.class)
class TcpNoneContractTest {

    @Nested
    class ActiveMessages extends ActiveMessageContract {
        ActiveMessages() {
            super(Link.TCP_NONE);
        }
    }

    @Nested
    class Tags extends TagContract {
        Tags() {
            super(Link.TCP_NONE);
        }
    }

    @Nested
    class RemoteMemory extends RemoteMemoryContract {
        RemoteMemory() {
            super(Link.TCP_NONE);
        }
    }

    @Nested
    class Connecting extends ConnectContract {
        Connecting() {
            super(Link.TCP_NONE);
        }
    }

    @Nested
    class Closing extends CloseContract {
        Closing() {
            super(Link.TCP_NONE);
        }
    }

    @Nested
    class Atomics extends AtomicContract {
        Atomics() {
            super(Link.TCP_NONE);
        }
    }

    @Nested
    class Datatypes extends DatatypeContract {
        Datatypes() {
            super(Link.TCP_NONE);
        }
    }

    @Nested
    class Probing extends ProbeContract {
        Probing() {
            super(Link.TCP_NONE);
        }
    }

    @Nested
    class Streams extends StreamContract {
        Streams() {
            super(Link.TCP_NONE);
        }
    }
}

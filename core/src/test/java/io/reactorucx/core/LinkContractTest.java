package io.reactorucx.core;

import io.reactorucx.testsupport.NoLeaks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What an application may rely on, over each link. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@MethodSource("io.reactorucx.core.Link#tested")
class LinkContractTest {

    private final Link link;

    LinkContractTest(Link link) {
        this.link = link;
    }

    @Nested
    class ActiveMessages extends ActiveMessageContract {
        ActiveMessages() {
            super(LinkContractTest.this.link);
        }
    }

    @Nested
    class Tags extends TagContract {
        Tags() {
            super(LinkContractTest.this.link);
        }
    }

    @Nested
    class RemoteMemory extends RemoteMemoryContract {
        RemoteMemory() {
            super(LinkContractTest.this.link);
        }
    }

    @Nested
    class Connecting extends ConnectContract {
        Connecting() {
            super(LinkContractTest.this.link);
        }
    }

    @Nested
    class Closing extends CloseContract {
        Closing() {
            super(LinkContractTest.this.link);
        }
    }

    @Nested
    class Atomics extends AtomicContract {
        Atomics() {
            super(LinkContractTest.this.link);
        }
    }

    @Nested
    class Datatypes extends DatatypeContract {
        Datatypes() {
            super(LinkContractTest.this.link);
        }
    }

    @Nested
    class Probing extends ProbeContract {
        Probing() {
            super(LinkContractTest.this.link);
        }
    }

    @Nested
    class Streams extends StreamContract {
        Streams() {
            super(LinkContractTest.this.link);
        }
    }

    @Nested
    class Arenas extends ArenaContract {
        Arenas() {
            super(LinkContractTest.this.link);
        }
    }
}

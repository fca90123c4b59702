package io.reactorucx.core;

import org.junit.jupiter.api.Nested;

/** What an application may rely on, over each link. Two classes run it, so that two JVMs can share the work. */
abstract class LinkContracts {

    private final Link link;

    LinkContracts(Link link) {
        this.link = link;
    }

    @Nested
    class ActiveMessages extends ActiveMessageContract {
        ActiveMessages() {
            super(LinkContracts.this.link);
        }
    }

    @Nested
    class Tags extends TagContract {
        Tags() {
            super(LinkContracts.this.link);
        }
    }

    @Nested
    class RemoteMemory extends RemoteMemoryContract {
        RemoteMemory() {
            super(LinkContracts.this.link);
        }
    }

    @Nested
    class Connecting extends ConnectContract {
        Connecting() {
            super(LinkContracts.this.link);
        }
    }

    @Nested
    class Closing extends CloseContract {
        Closing() {
            super(LinkContracts.this.link);
        }
    }

    @Nested
    class Atomics extends AtomicContract {
        Atomics() {
            super(LinkContracts.this.link);
        }
    }

    @Nested
    class Datatypes extends DatatypeContract {
        Datatypes() {
            super(LinkContracts.this.link);
        }
    }

    @Nested
    class Probing extends ProbeContract {
        Probing() {
            super(LinkContracts.this.link);
        }
    }

    @Nested
    class Streams extends StreamContract {
        Streams() {
            super(LinkContracts.this.link);
        }
    }

    @Nested
    class Arenas extends ArenaContract {
        Arenas() {
            super(LinkContracts.this.link);
        }
    }
}

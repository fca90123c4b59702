package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class that leaves a memory domain open, or memory that was allocated with one. */
final class NoOpenDomains implements BeforeAllCallback, AfterAllCallback {

    private final Deque<Snapshot> snapshots = new ArrayDeque<>();

    private record Snapshot(int domains, int allocations) {

        static Snapshot now() {
            return new Snapshot(UctMemoryDomain.openDomains(), UctAllocatedMemory.openAllocations());
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        begin();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        end();
    }

    void begin() {
        snapshots.push(Snapshot.now());
    }

    void end() {
        Snapshot before = snapshots.pop();
        assertThat(Snapshot.now()).as("open memory domains and allocations").isEqualTo(before);
    }
}

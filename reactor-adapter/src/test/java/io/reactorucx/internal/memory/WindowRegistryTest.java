package io.reactorucx.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.ServedMemoryStatistics;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.memory.ServedMemoryStatistics.Requests;
import io.reactorucx.testsupport.TestTime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** Windows are found by their keys until they are revoked, and their memory is given back after the last use. */
class WindowRegistryTest {

    private static final int MAX_WINDOWS = 2;
    private static final Set<MemoryRight> ALL = EnumSet.allOf(MemoryRight.class);
    private static final Set<MemoryRight> READ = Set.of(MemoryRight.READ);

    private final List<UcpMemory> owned = new ArrayList<>();
    private UcpContext context;
    private WindowRegistry windows;

    @BeforeEach
    void open() {
        assumeTrue(Ucx.isAvailable(), () -> "UCX is not available: " + Ucx.unavailabilityCause());
        context = UcpContext.create(UcpConfig.builder().features(UcpFeature.RMA).transports("tcp").build());
        windows = new WindowRegistry(context, ServedMemoryConfig.DEFAULT.withMaxWindows(MAX_WINDOWS)
                .withRevokeTimeout(Duration.ofHours(1)), memory -> {
            owned.add(memory);
            return memory;
        });
    }

    @AfterEach
    void close() {
        if (context != null) {
            windows.close();
            assertThat(statistics().windows()).isZero();
            assertThat(context.openRegistrations()).isZero();
            context.close();
        }
    }

    private ServedMemoryStatistics statistics() {
        return windows.statistics();
    }

    private ExportedWindow export() {
        return (ExportedWindow) windows.export(Arena.ofAuto().allocate(64), ALL, null);
    }

    @Test
    void findsEachWindowByItsKeyUntilItIsRevoked() {
        ExportedWindow one = export();
        ExportedWindow two = export();
        assertThat(windows.find(one.key())).isSameAs(one);
        assertThat(windows.find(two.key())).isSameAs(two);
        assertThat(owned).hasSize(2);
        one.dispose();
        assertThat(one.isDisposed()).isTrue();
        assertThat(two.isDisposed()).isFalse();
        assertThat(windows.find(one.key())).isNull();
        assertThat(windows.find(two.key())).isSameAs(two);
        assertThat(owned.getFirst().isClosed()).isTrue();
        assertThat(owned.getLast().isClosed()).isFalse();
    }

    @Test
    void memoryIsGivenBackAfterTheLastUse() {
        ExportedWindow window = export();
        assertThat(window.enter(null)).isTrue();
        assertThat(window.enter(null)).isTrue();
        List<String> ends = new ArrayList<>();
        Disposable waiting = window.revoke().subscribe(never -> { }, error -> ends.add("error"), () -> ends.add("end"));
        assertThat(windows.find(window.key())).as("for a new request").isNull();
        assertThat(window.enter(null)).as("a new use").isFalse();
        window.leave();
        assertThat(ends).isEmpty();
        assertThat(owned.getFirst().isClosed()).isFalse();
        assertThat(statistics().windows()).isEqualTo(1);
        window.leave();
        assertThat(ends).containsExactly("end");
        assertThat(owned.getFirst().isClosed()).isTrue();
        assertThat(statistics().windows()).isZero();
        waiting.dispose();
    }

    @Test
    void windowThatWasUsedBeforeEndsAtOnce() {
        ExportedWindow window = export();
        assertThat(window.enter(null)).isTrue();
        window.leave();
        assertThat(owned.getFirst().isClosed()).as("while it is exported").isFalse();
        window.revoke().block(TestTime.seconds(10));
        assertThat(owned.getFirst().isClosed()).isTrue();
    }

    @Test
    void revokingTwiceGivesOneWindowBack() {
        ExportedWindow window = export();
        export();
        window.dispose();
        window.dispose();
        window.revoke().block(TestTime.seconds(10));
        assertThat(statistics().windows()).isEqualTo(1);
        assertThat(window.enter(null)).isFalse();
    }

    @Test
    void windowsAreBoundedAndARevokedOneMakesRoom() {
        ExportedWindow one = export();
        export();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(this::export).isInstanceOfSatisfying(UcxException.class,
                    e -> assertThat(e.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT))
                    .hasMessageContaining("at most 2 windows");
            assertThat(statistics().windows()).isEqualTo(2);
        }
        assertThat(context.openRegistrations()).isEqualTo(2);
        one.dispose();
        export();
        assertThat(statistics().maxWindows()).isEqualTo(MAX_WINDOWS);
    }

    @Test
    void memoryThatCannotBeRegisteredTakesNoPlace() {
        UcpContext other = UcpContext.create(UcpConfig.builder().features(UcpFeature.RMA).transports("tcp").build());
        WindowRegistry broken = new WindowRegistry(other, ServedMemoryConfig.DEFAULT, memory -> memory);
        other.close();
        MemorySegment memory = Arena.ofAuto().allocate(64);
        assertThatThrownBy(() -> broken.export(memory, ALL, null)).isInstanceOf(UcxClosedException.class);
        assertThat(broken.statistics().windows()).isZero();
        UcpMemory registration = context.register(memory);
        assertThatThrownBy(() -> broken.export(registration, ALL, null)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another context");
        registration.close();
        assertThatThrownBy(() -> windows.export(registration, ALL, null)).isInstanceOf(UcxClosedException.class);
    }

    @Test
    void registrationOfTheCallerStaysTheCallers() {
        try (UcpMemory registration = context.register(Arena.ofAuto().allocate(64))) {
            ExportedWindow window = (ExportedWindow) windows.export(registration, ALL, null);
            assertThat(window.registration()).isSameAs(registration);
            assertThat(window.segment()).isEqualTo(registration.segment());
            assertThat(window.descriptor().oneSided()).as("all rights, for all connections").isPresent();
            window.dispose();
            assertThat(registration.isClosed()).isFalse();
            ExportedWindow readOnly = (ExportedWindow) windows.export(registration, READ, null);
            assertThat(readOnly.descriptor().oneSided()).as("UCX's key would give all rights").isEmpty();
            assertThat(owned).isEmpty();
        }
    }

    @Test
    void readOnlyMemoryIsExportedForReadingAlone() {
        MemorySegment memory = Arena.ofAuto().allocate(64).asReadOnly();
        ExportedWindow window = (ExportedWindow) windows.export(memory, READ, null);
        assertThat(window.registration()).isNull();
        assertThatThrownBy(() -> windows.export(memory, ALL, null)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
        assertThat(statistics().windows()).isEqualTo(1);
    }

    @Test
    void memoryThatMayNotBeReachedByOthersIsRefused() {
        assertThatThrownBy(() -> windows.export(MemorySegment.ofArray(new byte[8]), ALL, null))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("native");
        assertThatThrownBy(() -> windows.export(Arena.ofAuto().allocate(0), ALL, null))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at least 1 byte");
        assertThatThrownBy(() -> windows.export(Arena.ofAuto().allocate(8), Set.of(), null))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at least one");
        MemorySegment closed;
        try (Arena confined = Arena.ofConfined(); Arena shared = Arena.ofShared()) {
            closed = shared.allocate(8);
            MemorySegment ofThisThread = confined.allocate(8);
            assertThatThrownBy(() -> windows.export(ofThisThread, ALL, null))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("of one thread only");
            MemorySegment couldBeClosed = closed;
            assertThatThrownBy(() -> windows.export(couldBeClosed, ALL, null))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("could be closed");
        }
        assertThatThrownBy(() -> windows.export(closed, ALL, null)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("closed");
        assertThat(statistics().windows()).isZero();
        windows.export(Arena.ofAuto().allocate(1), ALL, null);
    }

    @Test
    void closeRevokesAllAndExportsNothingMore() {
        ExportedWindow one = export();
        ExportedWindow two = export();
        windows.close();
        assertThat(one.isDisposed()).isTrue();
        assertThat(two.isDisposed()).isTrue();
        assertThatThrownBy(this::export).isInstanceOf(UcxClosedException.class).hasMessageContaining("are closed");
        assertThat(owned).hasSize(3).allMatch(UcpMemory::isClosed);
        assertThat(statistics().windows()).isZero();
    }

    @Test
    void countsWhatWasServedAndWhatWasNot() {
        windows.served(Access.GET, 10);
        windows.served(Access.PUT, 5);
        windows.refused(Access.GET);
        windows.violated();
        windows.violated();
        windows.violated();
        assertThat(statistics()).isEqualTo(new ServedMemoryStatistics(0, MAX_WINDOWS, Map.of(
                Access.GET, new Requests(1, 1, 10), Access.PUT, new Requests(1, 0, 5),
                Access.ATOMIC, new Requests(0, 0, 0)), 3));
        assertThat(List.of(statistics().served(), statistics().refused(), statistics().bytes()))
                .containsExactly(2L, 1L, 15L);
    }
}

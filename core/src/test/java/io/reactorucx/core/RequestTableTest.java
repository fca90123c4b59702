package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.internal.memory.Pinned;
import io.reactorucx.core.internal.worker.RequestKind;
import io.reactorucx.core.internal.worker.SlotMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The slots of operations, with invented status pointers in place of UCX's. */
class RequestTableTest {

    private static final long DONE = 0;
    private static final long UNDER_WAY = 0x7f00_0000_1000L;
    private static final long REFUSED = UcxStatus.NO_MEMORY.code();
    private static final byte OK = 0;

    private final List<String> delivered = new ArrayList<>();

    private static RequestTable table(int limit) {
        return new RequestTable(limit, Arena.ofAuto(), RegistrationCache.NONE);
    }

    private Completion noting(String name) {
        return (status, length, tag) -> delivered.add(name + " " + status + " " + length + " " + tag);
    }

    private long start(RequestTable table, String name) {
        long token = table.begin("test", noting(name), null, null, null);
        assertThat(table.posted("test", null, token, UNDER_WAY)).isFalse();
        return token;
    }

    @Test
    void handsOnWhatAnUpcallNoted() {
        RequestTable table = table(8);
        long token = start(table, "a");
        assertThat(table.inFlight()).isEqualTo(1);
        assertThat(table.request(token)).isEqualTo(UNDER_WAY);
        assertThat(table.ended(token, (byte) -9, 5, -7)).as("whether the upcall frees the request").isTrue();
        assertThat(delivered).isEmpty();
        assertThat(table.readyCount()).isEqualTo(1);
        assertThat(table.deliver(10)).isEqualTo(1);
        assertThat(delivered).containsExactly("a -9 5 -7");
        assertThat(table.inFlight()).isZero();
        assertThat(table.request(token)).isZero();
    }

    @Test
    void callsNoCompletionOfOperationThatIsDoneAtOnce() {
        RequestTable table = table(8);
        long token = table.begin("test", noting("a"), null, null, null);
        assertThat(table.posted("test", null, token, DONE)).isTrue();
        assertThat(table.inFlight()).isZero();
        assertThat(table.deliver(10)).isZero();
        assertThat(delivered).isEmpty();
    }

    @Test
    void givesSlotBackWhenOperationIsRefused() {
        RequestTable table = table(1);
        CountingPin pin = new CountingPin();
        for (int i = 0; i < 3; i++) {
            long token = table.begin("am_send", noting("a"), null, pin, null);
            assertThat(pin.held).isEqualTo(1);
            assertThatThrownBy(() -> table.posted("am_send", "peer", token, REFUSED))
                    .isInstanceOfSatisfying(UcxException.class, e -> {
                        assertThat(e.status()).isEqualTo(UcxStatus.NO_MEMORY);
                        assertThat(e.peer()).isEqualTo("peer");
                    });
            assertThat(table.inFlight()).isZero();
            assertThat(pin.held).isZero();
        }
        assertThat(delivered).isEmpty();
    }

    @Test
    void givesSlotBackWhenOperationIsNeverPosted() {
        RequestTable table = table(1);
        CountingPin pin = new CountingPin();
        table.begin("test", noting("lost"), null, pin, null);
        long token = start(table, "a");
        assertThat(pin.held).isZero();
        assertThat(table.inFlight()).isEqualTo(1);
        table.ended(token, OK, 0, 0);
        table.deliver(1);
        table.begin("test", noting("lost again"), null, pin, null);
        assertThat(table.inFlight()).isZero();
        assertThat(pin.held).isZero();
        assertThat(delivered).containsExactly("a 0 0 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 64, 65, 200})
    void takesAsManyAsTheLimitAndNoMore(int limit) {
        RequestTable table = table(limit);
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < limit; i++) {
            tokens.add(start(table, "op" + i));
        }
        CountingPin pin = new CountingPin();
        assertThatThrownBy(() -> table.begin("one more", noting("x"), null, pin, null))
                .isInstanceOfSatisfying(UcxException.class, e -> {
                    assertThat(e.status()).isEqualTo(UcxStatus.NO_RESOURCE);
                    assertThat(e).hasMessageContaining("one more").hasMessageContaining("all " + limit);
                });
        assertThat(pin.held).isZero();
        assertThat(tokens).doesNotHaveDuplicates();
        table.ended(tokens.getFirst(), OK, 0, 0);
        table.deliver(1);
        start(table, "fits");
        assertThat(table.inFlight()).isEqualTo(limit);
    }

    @Test
    void ignoresOutcomeOfOperationThatIsOver() {
        RequestTable table = table(4);
        long first = start(table, "first");
        table.ended(first, OK, 0, 0);
        table.deliver(1);
        long second = start(table, "second");
        assertThat((int) second).as("slot").isEqualTo((int) first);
        assertThat(second).as("token").isNotEqualTo(first);
        assertThat(table.ended(first, (byte) -3, 0, 0)).isFalse();
        assertThat(table.request(first)).isZero();
        assertThat(table.deliver(10)).isZero();
        assertThat(table.inFlight()).isEqualTo(1);
        assertThat(table.ended(second, OK, 0, 0)).isTrue();
        table.deliver(10);
        assertThat(delivered).containsExactly("first 0 0 0", "second 0 0 0");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 63, 64, 1L << 32, Long.MIN_VALUE, Long.MAX_VALUE})
    void ignoresTokenThatWasNeverGiven(long token) {
        RequestTable table = table(64);
        assertThat(table.ended(token, OK, 0, 0)).isFalse();
        assertThat(table.request(token)).isZero();
        assertThat(table.readyCount()).isZero();
    }

    @Test
    void deliversInTheOrderOfTheOutcomesAndNotMoreThanAsked() {
        RequestTable table = table(8);
        long a = start(table, "a");
        long b = start(table, "b");
        long c = start(table, "c");
        table.ended(b, OK, 0, 0);
        table.ended(c, OK, 0, 0);
        table.ended(a, OK, 0, 0);
        assertThat(table.deliver(2)).isEqualTo(2);
        assertThat(delivered).containsExactly("b 0 0 0", "c 0 0 0");
        assertThat(table.deliver(2)).isEqualTo(1);
        assertThat(delivered).endsWith("a 0 0 0");
    }

    @Test
    void keepsOutcomesAndTheirOrderWhenItGrows() {
        RequestTable table = table(1000);
        List<Long> tokens = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            tokens.add(start(table, "op" + i));
        }
        for (int i = 0; i < 40; i++) {
            table.ended(tokens.get(i), OK, i, 0);
            expected.add("op" + i + " 0 " + i + " 0");
        }
        assertThat(table.deliver(30)).isEqualTo(30);
        for (int i = 64; i < 94; i++) {
            tokens.add(start(table, "op" + i));
        }
        for (int i = 40; i < 80; i++) {
            table.ended(tokens.get(i), OK, i, 0);
            expected.add("op" + i + " 0 " + i + " 0");
        }
        for (int i = 94; i < 700; i++) {
            tokens.add(start(table, "op" + i));
        }
        assertThat(table.readyCount()).isEqualTo(50);
        for (int i = 80; i < 700; i++) {
            assertThat(table.request(tokens.get(i))).isEqualTo(UNDER_WAY);
            assertThat(table.ended(tokens.get(i), OK, i, 0)).isTrue();
            expected.add("op" + i + " 0 " + i + " 0");
        }
        assertThat(table.deliver(1000)).isEqualTo(670);
        assertThat(delivered).isEqualTo(expected);
        assertThat(table.inFlight()).isZero();
    }

    @Test
    void deliversTheRestWhenCompletionThrows() {
        RequestTable table = table(4);
        long bad = table.begin("test", (status, length, tag) -> {
            throw new IllegalStateException("a completion of a test");
        }, null, null, null);
        table.posted("test", null, bad, UNDER_WAY);
        long good = start(table, "good");
        table.ended(bad, OK, 0, 0);
        table.ended(good, OK, 0, 0);
        assertThat(table.deliver(10)).isEqualTo(2);
        assertThat(delivered).containsExactly("good 0 0 0");
    }

    @Test
    void hasSlotFreeBeforeItCallsTheCompletion() {
        RequestTable table = table(1);
        AtomicInteger started = new AtomicInteger();
        long token = table.begin("test", (status, length, tag) -> {
            start(table, "next");
            started.incrementAndGet();
        }, null, null, null);
        table.posted("test", null, token, UNDER_WAY);
        table.ended(token, OK, 0, 0);
        table.deliver(1);
        assertThat(started).hasValue(1);
        assertThat(table.inFlight()).isEqualTo(1);
    }

    @Test
    void holdsWhatTheOperationUsesUntilItIsDelivered() {
        RequestTable table = table(4);
        CountingPin pin = new CountingPin();
        long token = table.begin("test", noting("a"), null, pin, null);
        table.posted("test", null, token, UNDER_WAY);
        table.ended(token, OK, 0, 0);
        assertThat(pin.held).isEqualTo(1);
        table.deliver(1);
        assertThat(pin.held).isZero();
    }

    @Test
    void refusesMissingCompletion() {
        RequestTable table = table(4);
        CountingPin pin = new CountingPin();
        assertThatThrownBy(() -> table.begin("test", null, null, pin, null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("whenDone");
        assertThat(pin.held).isZero();
        assertThat(table.inFlight()).isZero();
    }

    @Test
    void reportsCloseThatCouldNotFlushAsItsOutcome() {
        RequestTable table = table(4);
        long token = table.begin("ep_close", noting("close"), null, null, null);
        assertThat(table.postedClose(token, REFUSED)).isFalse();
        assertThat(table.deliver(1)).isEqualTo(1);
        assertThat(delivered).containsExactly("close -4 0 0");
        assertThat(table.inFlight()).isZero();
    }

    @Test
    void copiesHeadersIntoMemoryThatNoOtherOperationUses() {
        RequestTable table = table(3);
        List<MemorySegment> copies = new ArrayList<>();
        int[] sizes = {1, SlotMemory.BYTES, SlotMemory.BYTES + 1};
        for (int size : sizes) {
            long token = table.begin("test", noting("a"), null, null, null);
            MemorySegment header = MemorySegment.ofArray(new byte[size]).fill((byte) size);
            copies.add(table.header(token, header));
            header.fill((byte) 0);
            table.posted("test", null, token, UNDER_WAY);
        }
        for (int i = 0; i < sizes.length; i++) {
            MemorySegment copy = copies.get(i);
            assertThat(copy.isNative()).isTrue();
            assertThat(copy.byteSize()).isEqualTo(sizes[i]);
            assertThat(copy.toArray(ValueLayout.JAVA_BYTE)).containsOnly((byte) sizes[i]);
        }
        assertThat(table(1).header(0, MemorySegment.ofArray(new byte[0])).address()).isZero();
    }

    @Test
    void takesNoSlotForOperationThatIsDoneAtOnce() {
        RequestTable table = table(1);
        CountingPin pin = new CountingPin();
        long token = table.begin("test", noting("a"), null, pin, null);
        assertThat(table.posted("test", null, token, DONE)).isTrue();
        assertThat(pin.held).isZero();
        assertThat(table.ended(token, OK, 0, 0)).as("a callback that UCX would not make").isFalse();
        assertThat(start(table, "b")).as("token").isNotEqualTo(token);
        assertThat(table.inFlight()).isEqualTo(1);
    }

    @Test
    void deliversWhatEndsInsideTheCallThatPostsIt() {
        RequestTable table = table(1);
        CountingPin pin = new CountingPin();
        long token = table.begin("test", noting("a"), null, pin, null);
        assertThat(table.ended(token, OK, 3, 4)).as("whether the upcall frees the request").isFalse();
        assertThat(table.inFlight()).isEqualTo(1);
        assertThat(table.readyCount()).isEqualTo(1);
        assertThat(pin.held).isEqualTo(1);
        assertThat(table.deliver(1)).isEqualTo(1);
        assertThat(delivered).containsExactly("a 0 3 4");
        assertThat(pin.held).isZero();
        assertThat(table.inFlight()).isZero();
    }

    @Test
    void copiesSmallMessagesIntoMemoryThatNoOtherOperationUses() {
        RequestTable table = table(2);
        MemorySegment header = MemorySegment.ofArray(new byte[] {1, 2});
        MemorySegment payload = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, (byte) 3, (byte) 4, (byte) 5);
        List<MemorySegment> copies = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            long token = table.begin("test", noting("a"), null, null, null);
            copies.add(MemorySegment.ofAddress(table.copy(token, header, payload)).reinterpret(5));
            table.posted("test", null, token, UNDER_WAY);
            payload.set(ValueLayout.JAVA_BYTE, 0, (byte) 9);
        }
        assertThat(copies.get(0).toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3, 4, 5);
        assertThat(copies.get(1).toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 9, 4, 5);
        assertThat(RequestTable.isSmall(SlotMemory.BYTES)).isTrue();
        assertThat(RequestTable.isSmall(SlotMemory.BYTES + 1)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"PROMPT", "FETCH", "CONTROL", "CLOSE"})
    void operationThatEndsOthersFindsSlotWhenTheOthersHaveAll(RequestKind kind) {
        RequestTable table = table(2);
        start(table, "a");
        start(table, "b");
        assertThat(table.room(RequestKind.GENERAL)).isZero();

        long token = table.begin(kind, "end", noting("c"), null, null, null);
        MemorySegment payload = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, (byte) 3);
        assertThat(MemorySegment.ofAddress(table.copy(token, MemorySegment.NULL, payload)).reinterpret(1)
                .get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 3);
        table.posted("end", null, token, UNDER_WAY);

        assertThat(table.inFlight()).isEqualTo(3);
        assertThatThrownBy(() -> start(table, "d")).hasMessageContaining("all 2 operations of its kind");
        table.ended(token, OK, 0, 0);
        table.deliver(1);
        assertThat(delivered).containsExactly("c 0 0 0");
        assertThat(table.inFlight()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"PROMPT", "FETCH", "CONTROL"})
    void eachKindHasLimitOfItsOwn(RequestKind kind) {
        RequestTable table = table(1);
        int room = table.room(kind);
        for (int i = 0; i < room; i++) {
            table.posted("test", null, table.begin(kind, "test", noting("x"), null, null, null), UNDER_WAY);
        }

        assertThat(table.room(kind)).isZero();
        assertThatThrownBy(() -> table.begin(kind, "one more", noting("x"), null, null, null))
                .isInstanceOfSatisfying(UcxException.class, e ->
                        assertThat(e.status()).isEqualTo(UcxStatus.NO_RESOURCE))
                .hasMessageContaining("all " + room);
        start(table, "fits");
    }

    /** A close has to find a slot when all are taken, and its parameters are written into memory like any other's. */
    @Test
    void givesOperationInSlotPastTheLimitMemoryThatLivesAsLong() {
        RequestTable table = table(1);
        long first = start(table, "a");
        MemorySegment own = table.scratch(first, SlotMemory.BYTES);
        own.fill((byte) 1);
        long token = table.begin(RequestKind.CLOSE, "ep_close", noting("b"), null, null, null);
        MemorySegment added = table.scratch(token, SlotMemory.BYTES);
        assertThat(added.byteSize()).isEqualTo(SlotMemory.BYTES);
        added.fill((byte) 2);
        assertThat(own.toArray(ValueLayout.JAVA_BYTE)).containsOnly((byte) 1);
        assertThat(table.postedClose(token, UNDER_WAY)).isFalse();
        assertThat(table.inFlight()).isEqualTo(2);
    }

    @Test
    void reusesTheSlotsOwnMemoryUpToItsSize() {
        RequestTable table = table(1);
        long token = table.begin("test", noting("a"), null, null, null);
        long own = table.scratch(token, 1).address();
        assertThat(table.scratch(token, SlotMemory.BYTES).address()).isEqualTo(own);
        MemorySegment larger = table.scratch(token, SlotMemory.BYTES + 1);
        assertThat(larger.byteSize()).isEqualTo(SlotMemory.BYTES + 1);
        assertThat(larger.address()).isNotEqualTo(own);
    }

    @Test
    void knowsWhichRequestsCanBeCancelled() {
        RequestTable table = table(4);
        assertThat(table.cancellable(null)).isEmpty();
        long token = start(table, "receive");
        assertThat(table.cancellable(null)).containsExactly(UNDER_WAY);
        table.ended(token, OK, 0, 0);
        assertThat(table.cancellable(null)).isEmpty();
    }

    private static final class CountingPin implements Pinned {

        private int held;

        @Override
        public void pin() {
            held++;
        }

        @Override
        public void unpin() {
            held--;
        }
    }
}

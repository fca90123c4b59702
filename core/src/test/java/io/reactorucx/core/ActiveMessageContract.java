package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.internal.worker.SlotMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Active messages. */
abstract class ActiveMessageContract extends LinkContract {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    ActiveMessageContract(Link link) {
        super(link);
    }

    @ParameterizedTest
    @CsvSource({"0, AUTO", "1, AUTO", "8192, AUTO", "1048576, AUTO", "67108864, AUTO", "0, EAGER", "1, EAGER",
        "8192, EAGER", "1048576, EAGER", "67108864, EAGER", "1, RENDEZVOUS", "8192, RENDEZVOUS", "1048576, RENDEZVOUS",
        "67108864, RENDEZVOUS"})
    void deliversHeaderAndDataOfEverySize(long bytes, AmProtocol protocol) {
        MemorySegment payload = Pair.pattern(bytes);
        MemorySegment header = Pair.pattern(24);
        Outcome sent = pair.send(header, payload, protocol);
        UcpActiveMessage message = pair.awaitMessage();
        assertThat(message.id()).isEqualTo(Pair.ID);
        assertThat(message.length()).isEqualTo(bytes);
        assertThat(message.header().mismatch(header)).isEqualTo(-1);
        if (protocol != AmProtocol.AUTO) {
            assertThat(message.isRendezvous()).isEqualTo(protocol == AmProtocol.RENDEZVOUS);
        }
        assertThat(pair.data(message).mismatch(payload)).isEqualTo(-1);
        pair.awaitOk(sent);
        assertThat(pair.server.activeMessages().held()).isZero();
        assertThat(pair.client.inFlight()).isZero();
    }

    @Test
    void deliversHeaderOfEveryAllowedSize() {
        int max = pair.client.maxHeaderBytes();
        int slot = SlotMemory.BYTES;
        for (int bytes : new int[] {0, 1, slot, slot + 1, max / 2, max}) {
            MemorySegment header = Pair.pattern(bytes);
            for (AmProtocol protocol : AmProtocol.values()) {
                MemorySegment payload = Pair.pattern(100);
                Outcome sent = pair.send(header, payload, protocol);
                UcpActiveMessage message = pair.awaitMessage();
                assertThat(message.header().byteSize()).isEqualTo(bytes);
                assertThat(message.header().mismatch(header)).isEqualTo(-1);
                assertThat(pair.data(message).mismatch(payload)).isEqualTo(-1);
                pair.awaitOk(sent);
            }
        }
    }

    @Test
    void copiesHeaderBeforeCallReturns() {
        for (int bytes : new int[] {16, 500}) {
            byte[] header = new byte[bytes];
            header[0] = 42;
            MemorySegment payload = Pair.pattern(1 << 20);
            Outcome sent = pair.send(MemorySegment.ofArray(header), payload, AmProtocol.RENDEZVOUS);
            header[0] = 0;
            UcpActiveMessage message = pair.awaitMessage();
            assertThat(message.header().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 42);
            pair.server.activeMessages().release(message);
            pair.awaitOk(sent);
        }
    }

    @Test
    void sendsAndFetchesRegisteredMemory() {
        try (UcpMemory from = pair.context.allocate(1 << 20);
                UcpMemory to = pair.context.register(Arena.ofAuto().allocate(1 << 20))) {
            from.segment().copyFrom(Pair.pattern(1 << 20));
            Outcome sent = Outcome.of(done -> pair.toServer.amSend(Pair.ID, Pair.EMPTY, from.segment(), from,
                    AmProtocol.RENDEZVOUS, false, done));
            UcpActiveMessage message = pair.awaitMessage();
            pair.run(done -> pair.server.activeMessages().fetch(message, to.segment(), to, done));
            pair.awaitOk(sent);
            assertThat(to.segment().mismatch(from.segment())).isEqualTo(-1);
        }
    }

    /** A registration has no part without bytes for UCX to find. */
    @ParameterizedTest
    @EnumSource(AmProtocol.class)
    void takesRegisteredMemoryWithoutBytes(AmProtocol protocol) {
        try (UcpMemory from = pair.context.allocate(100); UcpMemory to = pair.context.allocate(100)) {
            MemorySegment nothing = from.segment().asSlice(10, 0);
            for (MemorySegment destination : List.of(to.segment(), to.segment().asSlice(10, 0))) {
                Outcome sent = Outcome.of(done -> pair.toServer.amSend(Pair.ID, Pair.EMPTY, nothing, from, protocol,
                        false, done));
                UcpActiveMessage message = pair.awaitMessage();
                assertThat(message.length()).isZero();
                if (!message.isInline()) {
                    pair.run(done -> pair.server.activeMessages().fetch(message, destination, to, done));
                }
                pair.awaitOk(sent);
            }
        }
        pair.assertStillWorks();
    }

    @ParameterizedTest
    @EnumSource(value = AmProtocol.class, names = {"EAGER", "RENDEZVOUS"})
    void endsSendWhenDataIsReleasedInsteadOfFetched(AmProtocol protocol) {
        Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(1 << 20), protocol);
        UcpActiveMessage message = pair.awaitMessage();
        assumeTrue(!message.isInline(), link + " hands large eager data over only within the upcall: nothing is held");
        assertThat(pair.server.activeMessages().held()).isEqualTo(1);
        pair.server.activeMessages().release(message);
        pair.awaitOk(sent);
        assertThat(pair.server.activeMessages().held()).isZero();
        pair.assertStillWorks();
    }

    @Test
    void fetchesIntoLargerMemoryWithoutTouchingTheRest() {
        MemorySegment payload = Pair.pattern(100_000);
        Outcome sent = pair.send(Pair.EMPTY, payload, AmProtocol.RENDEZVOUS);
        UcpActiveMessage message = pair.awaitMessage();
        MemorySegment destination = Arena.ofAuto().allocate(100_100).fill((byte) 0x55);
        Outcome fetched = Outcome.of(done -> pair.server.activeMessages().fetch(message, destination, null, done));
        pair.awaitOk(fetched);
        pair.awaitOk(sent);
        assertThat(fetched.length()).isEqualTo(100_000);
        assertThat(destination.asSlice(0, 100_000).mismatch(payload)).isEqualTo(-1);
        assertThat(destination.asSlice(100_000).mismatch(Arena.ofAuto().allocate(100).fill((byte) 0x55))).isEqualTo(-1);
    }

    @Test
    void leadsBackToTheSenderWhenItAsksForReplies() {
        pair.client.activeMessages().handler(Pair.ID + 1, message -> pair.received.add(message.keep()));
        Outcome sent = Outcome.of(done -> pair.toServer.amSend(Pair.ID, Pair.EMPTY, Pair.EMPTY, null, AmProtocol.AUTO,
                true, done));
        UcpEndpoint back = Objects.requireNonNull(pair.awaitMessage().replyEndpoint(), "replyEndpoint");
        pair.awaitOk(sent);
        assertThat(back).isSameAs(pair.toClient);
        pair.run(done -> back.amSend(Pair.ID + 1, Pair.EMPTY, Pair.pattern(10), null, AmProtocol.AUTO, false, done));
        assertThat(pair.awaitMessage().id()).isEqualTo(Pair.ID + 1);
    }

    @Test
    void knowsNoWayBackUnlessAsked() {
        Outcome sent = pair.send(Pair.EMPTY, Pair.EMPTY, AmProtocol.AUTO);
        assertThat(pair.awaitMessage().replyEndpoint()).isNull();
        pair.awaitOk(sent);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 40_000})
    void deliversOnIdsUpToLargeOnes(int id) {
        pair.server.activeMessages().handler(id, message -> pair.received.add(message.keep()));
        pair.run(done -> pair.toServer.amSend(id, Pair.EMPTY, Pair.pattern(5), null, AmProtocol.AUTO, false, done));
        assertThat(pair.awaitMessage().id()).isEqualTo(id);
    }

    @Test
    void dropsMessagesWhenHandlerIsTakenAway() {
        List<UcpActiveMessage> first = new ArrayList<>();
        pair.server.activeMessages().handler(9, message -> first.add(message.keep()));
        pair.run(done -> pair.toServer.amSend(9, Pair.EMPTY, Pair.EMPTY, null, AmProtocol.AUTO, false, done));
        pair.until(() -> first.size() == 1, "the first message");
        pair.server.activeMessages().handler(9, null);
        pair.run(done -> pair.toServer.amSend(9, Pair.EMPTY, Pair.EMPTY, null, AmProtocol.AUTO, false, done));
        pair.assertStillWorks();
        assertThat(first).hasSize(1);
    }

    /** Small messages without a header share an array: what was handed out of one has to stay as it was. */
    @ParameterizedTest
    @ValueSource(ints = {9, 100, 255, 256, 257})
    void dataOfAnInlineMessageStaysWhenItsArrayHasAnother(int size) {
        List<MemorySegment> payloads = new ArrayList<>();
        List<UcpActiveMessage> kept = new ArrayList<>();
        List<byte[]> taken = new ArrayList<>();
        List<byte[]> inPlace = new ArrayList<>();
        pair.server.activeMessages().handler(9, message -> {
            inPlace.add(Arrays.copyOfRange(message.readInPlace(), message.headerBytes(),
                    message.headerBytes() + (int) message.length()));
            kept.add(message.keep());
            payloads.add(message.payload());
            taken.add(message.takeBytes());
        });
        List<MemorySegment> sent = List.of(Pair.pattern(size), Arena.ofAuto().allocate(size).fill((byte) 0x55));
        for (MemorySegment data : sent) {
            pair.run(done -> pair.toServer.amSend(9, Pair.EMPTY, data, null, AmProtocol.EAGER, false, done));
        }
        pair.until(() -> kept.size() == sent.size(), "the messages");

        for (int i = 0; i < sent.size(); i++) {
            byte[] expected = sent.get(i).toArray(ValueLayout.JAVA_BYTE);
            assertThat(kept.get(i).toByteArray()).as("kept").isEqualTo(expected);
            assertThat(payloads.get(i).toArray(ValueLayout.JAVA_BYTE)).as("payload").isEqualTo(expected);
            assertThat(taken.get(i)).as("taken").isEqualTo(expected);
            assertThat(inPlace.get(i)).as("read in place").isEqualTo(expected);
        }
    }

    @Test
    void inlineMessageIsOverWhenItsHandlerHasReturnedUnlessItIsKept() {
        List<UcpActiveMessage> borrowed = new ArrayList<>();
        List<UcpActiveMessage> kept = new ArrayList<>();
        pair.server.activeMessages().handler(9, message -> {
            borrowed.add(message);
            kept.add(message.keep());
        });
        MemorySegment word = Pair.pattern(5);
        MemorySegment more = Pair.pattern(100);
        pair.run(done -> pair.toServer.amSend(9, Pair.EMPTY, word, null, AmProtocol.EAGER, true, done));
        pair.until(() -> kept.size() == 1, "a message without a header");
        pair.run(done -> pair.toServer.amSend(9, Pair.pattern(24), more, null, AmProtocol.EAGER, false, done));
        pair.until(() -> kept.size() == 2, "a message with a header");

        assertThat(borrowed.getLast()).as("the same object").isSameAs(borrowed.getFirst());
        assertThatThrownBy(borrowed.getLast()::payload).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("keep()");
        assertThatThrownBy(borrowed.getLast()::header).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("keep()");
        assertThatThrownBy(borrowed.getLast()::word).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("keep()");
        assertThatThrownBy(borrowed.getLast()::keep).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("keep()");
        UcpActiveMessage first = kept.getFirst();
        assertThat(first.isWord()).isTrue();
        assertThat(first.word()).isEqualTo(Pair.wordOf(word));
        assertThat(first.payload().mismatch(word)).isEqualTo(-1);
        assertThat(first.replyEndpoint()).isSameAs(pair.toClient);
        assertThat(first.keep()).isSameAs(first);
        UcpActiveMessage second = kept.getLast();
        assertThat(second.isWord()).isFalse();
        assertThatThrownBy(second::word).isInstanceOf(IllegalStateException.class).hasMessageContaining("24 bytes");
        assertThat(second.header().mismatch(Pair.pattern(24))).isEqualTo(-1);
        assertThat(second.payload().mismatch(more)).isEqualTo(-1);
        assertThat(second.replyEndpoint()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"0, 0, EAGER", "0, 7, EAGER", "0, 8, EAGER", "0, 100, EAGER", "0, 1048576, EAGER",
        "0, 1048576, RENDEZVOUS", "4, 100, EAGER", "4, 1048576, EAGER", "8, 0, EAGER", "24, 100, AUTO",
        "24, 1048576, EAGER", "24, 1048576, RENDEZVOUS"})
    void comparesBeginningWithoutFetch(int headerBytes, int bytes, AmProtocol protocol) {
        MemorySegment payload = Pair.pattern(bytes);
        MemorySegment header = headerBytes == 0 ? Pair.EMPTY : Pair.pattern(headerBytes);
        MemorySegment first = headerBytes == 0 ? payload : header;
        boolean hasBeginning = first.byteSize() >= Long.BYTES
                && (headerBytes > 0 || protocol != AmProtocol.RENDEZVOUS);
        long beginning = Pair.pattern(Long.BYTES).get(ValueLayout.JAVA_LONG_UNALIGNED
                .withOrder(ByteOrder.BIG_ENDIAN), 0);
        Outcome sent = pair.send(header, payload, protocol);

        UcpActiveMessage message = pair.awaitMessage();
        UcpActiveMessages messages = pair.server.activeMessages();
        assertThat(messages.beginsWith(message, beginning)).isEqualTo(hasBeginning);
        assertThat(messages.beginsWith(message, beginning ^ 1)).isFalse();
        assertThat(messages.beginsWith(message, 0)).isFalse();
        boolean inline = message.isInline();
        assertThat(pair.data(message).mismatch(payload)).as("the data is still there").isEqualTo(-1);
        assertThat(messages.beginsWith(message, beginning)).as("nothing is read that UCX has freed")
                .isEqualTo(hasBeginning && inline);
        pair.awaitOk(sent);
    }

    @Test
    void givesSmallDataBehindHeaderAsWord() {
        for (int bytes : new int[] {0, 1, 7, 8}) {
            MemorySegment word = Pair.pattern(bytes);
            pair.awaitOk(pair.send(Pair.pattern(24), word, AmProtocol.EAGER));
            assertThat(pair.awaitMessage().dataWord()).isEqualTo(Pair.wordOf(word));
            pair.awaitOk(pair.send(Pair.EMPTY, word, AmProtocol.EAGER));
            assertThat(pair.awaitMessage().dataWord()).isEqualTo(Pair.wordOf(word));
        }
        pair.awaitOk(pair.send(Pair.pattern(24), Pair.pattern(9), AmProtocol.EAGER));
        UcpActiveMessage longer = pair.awaitMessage();
        assertThatThrownBy(longer::dataWord).isInstanceOf(IllegalStateException.class).hasMessageContaining("9 bytes");
    }

    @Test
    void readsNumbersOfTheHeaderAndNoneBeyondIt() {
        MemorySegment header = Pair.pattern(6);
        pair.awaitOk(pair.send(header, Pair.pattern(100), AmProtocol.EAGER));
        UcpActiveMessage message = pair.awaitMessage();

        assertThat(message.headerBytes()).isEqualTo(6);
        assertThat(message.headerInt(2)).isEqualTo(header.get(INT, 2));
        assertThat(message.headerShort(4)).isEqualTo(header.get(SHORT, 4));
        for (int offset : new int[] {-1, 3, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> message.headerInt(offset)).isInstanceOf(IndexOutOfBoundsException.class);
        }
        for (int offset : new int[] {-1, 5, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> message.headerShort(offset)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void keepsOrderOfSmallMessages() {
        int count = 2000;
        List<Outcome> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            MemorySegment header = Arena.ofAuto().allocate(4);
            header.set(ValueLayout.JAVA_INT, 0, i);
            sent.add(pair.send(header, Pair.EMPTY, AmProtocol.EAGER));
            if (i % 100 == 0) {
                pair.step();
            }
        }
        pair.until(() -> pair.received.size() == count && sent.stream().allMatch(Outcome::isDone), "all messages");
        for (int i = 0; i < count; i++) {
            assertThat(pair.received.get(i).header().get(ValueLayout.JAVA_INT_UNALIGNED, 0)).isEqualTo(i);
        }
    }

    @Test
    void releasesHeldDataWhenHandlerThrows() {
        pair.server.activeMessages().handler(8, message -> {
            throw new IllegalStateException("a handler of a test");
        });
        pair.run(done -> pair.toServer.amSend(8, Pair.EMPTY, Pair.pattern(1 << 20), null, AmProtocol.RENDEZVOUS, false,
                done));
        assertThat(pair.server.activeMessages().held()).isZero();
        pair.assertStillWorks();
    }

    @Test
    void holdsEagerDataThatUcxIsToldToKeep() {
        pair.server.activeMessages().handler(Pair.ID, message -> pair.received.add(message.keep()), true);
        MemorySegment payload = Pair.pattern(100_000);
        Outcome sent = pair.send(Pair.pattern(24), payload, AmProtocol.EAGER);
        UcpActiveMessage message = pair.awaitMessage();
        assertThat(message.isInline()).isFalse();
        assertThat(message.isRendezvous()).isFalse();
        assertThat(pair.server.activeMessages().held()).isEqualTo(1);
        assertThat(message.isLocal()).isTrue();
        List<MemorySegment> shown = new ArrayList<>();
        pair.server.activeMessages().read(message, data -> {
            shown.add(data);
            assertThat(data.isReadOnly()).isTrue();
            assertThat(data.mismatch(payload)).isEqualTo(-1);
        });
        assertThat(shown.getFirst().scope().isAlive()).isFalse();
        assertThat(pair.server.activeMessages().held()).isZero();
        pair.awaitOk(sent);
    }

    /** A place for one message; keeps what is done with it. */
    private static final class Place implements PlacedData {

        private final MemorySegment memory;
        private int copies;
        private int releases;

        Place(long bytes) {
            this.memory = Arena.ofAuto().allocate(bytes);
        }

        @Override
        public MemorySegment memory() {
            return memory;
        }

        @Override
        public void copyTo(MemorySegment destination) {
            copies++;
            destination.copyFrom(memory.asSlice(0, destination.byteSize()));
        }

        @Override
        public void release() {
            releases++;
        }
    }

    /** UCX's tcp lends data only during the upcall; other transports hand it over, and place none. */
    @ParameterizedTest
    @CsvSource({"100, false", "16384, false", "16385, true", "60000, true"})
    void placesLargeDataThatUcxDoesNotHold(int bytes, boolean isLarge) {
        List<Place> places = new ArrayList<>();
        List<byte[]> headers = new ArrayList<>();
        UcpActiveMessages messages = pair.server.activeMessages();
        messages.placement(Pair.ID, (header, length) -> {
            headers.add(header);
            places.add(new Place(length + 10L));
            return places.getLast();
        });
        MemorySegment payload = Pair.pattern(bytes);
        MemorySegment header = Pair.pattern(24);
        Outcome sent = pair.send(header, payload, AmProtocol.EAGER);
        UcpActiveMessage message = pair.awaitMessage();
        pair.awaitOk(sent);

        assertThat(places).hasSize(isLarge && link.isCarriedBy("tcp/lo") ? 1 : 0);
        if (places.isEmpty()) {
            assertThat(pair.data(message).mismatch(payload)).isEqualTo(-1);
            return;
        }
        assertThat(headers).containsExactly(header.toArray(ValueLayout.JAVA_BYTE));
        assertThat(message.isInline()).isFalse();
        assertThat(message.isRendezvous()).isFalse();
        assertThat(message.length()).isEqualTo(bytes);
        assertThat(message.header().mismatch(header)).isEqualTo(-1);
        assertThat(messages.held()).isEqualTo(1);
        Place place = places.getFirst();
        assertThat(messages.take(message)).isSameAs(place);
        assertThat(place.memory.asSlice(0, bytes).mismatch(payload)).isEqualTo(-1);
        assertThat(place.copies + place.releases).as("copies and releases").isZero();
        assertThat(messages.held()).isZero();
        assertThatThrownBy(() -> messages.take(message)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> messages.release(message)).isInstanceOf(IllegalStateException.class);
        pair.assertStillWorks();
    }

    @Test
    void fetchesAndReleasesPlacedDataAsHeldData() {
        assumeTrue(link.isCarriedBy("tcp/lo"), link + " places no data");
        List<Place> places = new ArrayList<>();
        UcpActiveMessages messages = pair.server.activeMessages();
        messages.placement(Pair.ID, (header, length) -> {
            places.add(new Place(length));
            return places.getLast();
        });
        MemorySegment payload = Pair.pattern(50_000);
        pair.awaitOk(pair.send(Pair.EMPTY, payload, AmProtocol.EAGER));
        assertThat(pair.data(pair.awaitMessage()).mismatch(payload)).isEqualTo(-1);
        pair.awaitOk(pair.send(Pair.EMPTY, payload, AmProtocol.EAGER));
        messages.release(pair.awaitMessage());
        assertThat(places.stream().map(place -> place.copies)).containsExactly(1, 0);
        assertThat(places.stream().map(place -> place.releases)).containsExactly(0, 1);
        assertThat(messages.held()).isZero();
    }

    /** It runs inside UCX, where another call would corrupt what UCX is doing. */
    @Test
    void refusesCallsOfPlacements() {
        assumeTrue(link.isCarriedBy("tcp/lo"), link + " places no data");
        UcpActiveMessages messages = pair.server.activeMessages();
        List<String> refusals = new ArrayList<>();
        messages.placement(Pair.ID, (header, length) -> {
            try {
                messages.placement(Pair.ID, null);
            } catch (IllegalStateException e) {
                refusals.add(e.getMessage());
            }
            return null;
        });
        MemorySegment payload = Pair.pattern(50_000);

        pair.awaitOk(pair.send(Pair.EMPTY, payload, AmProtocol.EAGER));

        assertThat(pair.awaitMessage().payload().mismatch(payload)).isEqualTo(-1);
        assertThat(refusals).singleElement().asString().contains("data placement");
        messages.placement(Pair.ID, null);
        pair.assertStillWorks();
    }

    /** Data whose handler has no place goes to the Java heap; a place that is too small is given back. */
    @Test
    void bearsWithPlacementsThatHaveNoRoom() {
        assumeTrue(link.isCarriedBy("tcp/lo"), link + " places no data");
        UcpActiveMessages messages = pair.server.activeMessages();
        MemorySegment payload = Pair.pattern(50_000);
        messages.placement(Pair.ID, (header, length) -> null);
        pair.awaitOk(pair.send(Pair.EMPTY, payload, AmProtocol.EAGER));
        UcpActiveMessage message = pair.awaitMessage();
        assertThat(message.isInline()).isTrue();
        assertThat(message.payload().mismatch(payload)).isEqualTo(-1);

        Place small = new Place(100);
        messages.placement(Pair.ID, (header, length) -> small);
        pair.awaitOk(pair.send(Pair.EMPTY, payload, AmProtocol.EAGER));
        pair.assertStillWorks();
        assertThat(small.releases).isEqualTo(1);
        messages.placement(Pair.ID, null);
    }
}

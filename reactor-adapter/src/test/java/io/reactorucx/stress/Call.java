package io.reactorucx.stress;

import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import java.util.Collection;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;

/** One random call: its number, of which all its choices follow, and the side of a connection that makes it. */
record Call(Round round, CheckedPeer peer, Random random, long number) {

    private static final int LARGEST = 20;

    /** One kind of calls. */
    @FunctionalInterface
    interface Kind {

        void make(Call call);
    }

    UcxConnection connection() {
        return peer.connection;
    }

    boolean oneIn(int count) {
        return random.nextInt(count) == 0;
    }

    /** Chooses a size: mostly small, evenly distributed over the powers of two up to 1 MiB. */
    int size() {
        int power = random.nextInt(LARGEST + 1);
        return oneIn(4) ? (1 << power) + random.nextInt(1 << power) : random.nextInt(3000);
    }

    /** A size for checked content. */
    int checkedSize() {
        return Payload.PREFIX + size();
    }

    void plain(String what, Rule rule, Runnable call) {
        round.journal.plain(name(what), rule, call);
    }

    <T> void follow(String what, Rule rule, Supplier<? extends Publisher<? extends T>> call,
            Consumer<? super T> whenNext, Runnable whenDone) {
        round.journal.<T>follow(name(what), rule, true, call, whenNext, whenDone);
    }

    <T> void follow(String what, Rule rule, Supplier<? extends Publisher<? extends T>> call) {
        this.<T>follow(what, rule, call, UcxBuffer::discard, () -> { });
    }

    /** A message of this call was signalled as sent. */
    void confirm(long message) {
        peer.confirm(message, number);
    }

    void confirm(Collection<Long> messages) {
        messages.forEach(this::confirm);
    }

    void fault(String what) {
        round.journal.fault(name(what), null);
    }

    private String name(String what) {
        return number + " " + peer.number + " " + what;
    }
}

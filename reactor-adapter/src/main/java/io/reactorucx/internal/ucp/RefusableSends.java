package io.reactorucx.internal.ucp;

import io.reactorucx.core.Completion;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.util.HashMap;
import java.util.Map;

/**
 * The active messages in flight to a framework peer whose data may stay here until the peer fetches it. UCX reports
 * success for one that the peer releases without a fetch; the peer tells by a frame before that it has refused it.
 *
 * <p>Thread: engine.
 */
final class RefusableSends {

    /** The number of a message that cannot be refused. */
    static final int NONE = 0;

    private static final int LAST = 0xffff;

    private final Map<Integer, RefusableSend> inFlight = new HashMap<>();
    private int lastNumber = NONE;

    /** Returns the completion with which a message is to be posted, whose number no other one in flight has. */
    RefusableSend begin(Completion whenDone) {
        if (inFlight.size() == LAST) {
            throw new UcxException(UcxStatus.NO_RESOURCE, "am_send", null,
                    LAST + " messages of the connection wait for their peer to fetch them");
        }
        do {
            lastNumber = lastNumber == LAST ? NONE + 1 : lastNumber + 1;
        } while (inFlight.containsKey(lastNumber));
        return new RefusableSend(this, lastNumber, whenDone);
    }

    /** The message was posted. Returns whether it has completed already. */
    boolean posted(RefusableSend send, boolean completed) {
        if (!completed) {
            inFlight.put(send.number, send);
        }
        return completed;
    }

    /** The peer will not fetch a message. */
    void refused(int number) {
        RefusableSend send = inFlight.get(number);
        if (send != null) {
            send.refused = true;
        }
    }

    /** The completion of one message. */
    static final class RefusableSend implements Completion {

        private final RefusableSends sends;
        private final int number;
        private final Completion whenDone;
        private boolean refused;

        private RefusableSend(RefusableSends sends, int number, Completion whenDone) {
            this.sends = sends;
            this.number = number;
            this.whenDone = whenDone;
        }

        int number() {
            return number;
        }

        @Override
        public void complete(int rawStatus, long length, long senderTag) {
            sends.inFlight.remove(number, this);
            whenDone.complete(refused && rawStatus == 0 ? UcxStatus.REJECTED.code() : rawStatus, length, senderTag);
        }
    }
}

package io.reactorucx.internal.frame;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** What names a window and proves that its owner gave it away: 128 bits that nobody guesses. Never printed. */
public record WindowKey(long high, long low) {

    public static final int BYTES = 2 * Long.BYTES;

    private static final SecureRandom RANDOM = new SecureRandom();

    public static WindowKey random() {
        return new WindowKey(RANDOM.nextLong(), RANDOM.nextLong());
    }

    public static WindowKey read(ByteBuffer in) {
        return new WindowKey(in.getLong(), in.getLong());
    }

    public void write(ByteBuffer out) {
        out.putLong(high).putLong(low);
    }

    @Override
    public String toString() {
        return "key";
    }
}

package io.reactorucx.internal.message.simulation;

import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.RequestHeader;
import io.reactorucx.transport.frame.FrameBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks the frames that one side sends: credit, ends, and what comes behind LAST. */
final class CarriedFrames {

    /** One frame of a batch, from its type on. */
    record Frame(byte type, int stream, int at, int end) {
    }

    /** What answers the peer, who may still send. */
    private static final Set<Byte> BEHIND_LAST = Set.of(MessageFrameCodec.CREDIT, MessageFrameCodec.CANCEL,
            MessageFrameCodec.RESET);

    private final Simulation simulation;
    private final String side;
    private CarriedFrames other;
    /** By stream, as this side names it: the messages that it may send, and those that it has sent. */
    private final Map<Integer, Integer> granted = new HashMap<>();
    private final Map<Integer, Integer> used = new HashMap<>();
    private final Set<Integer> ended = new HashSet<>();
    private final Runnable whenReset;
    private boolean last;

    /** Creates the checks of one side; the callback runs when it says that the peer's next receiver starts anew. */
    CarriedFrames(Simulation simulation, String side, Runnable whenReset) {
        this.simulation = simulation;
        this.side = side;
        this.whenReset = whenReset;
    }

    void connect(CarriedFrames peer) {
        other = peer;
    }

    static List<Frame> of(byte[] batch) {
        List<Frame> frames = new ArrayList<>();
        int at = MessageFrameCodec.PREAMBLE_BYTES;
        while (at < batch.length) {
            byte type = batch[at];
            int body = at + MessageFrameCodec.FRAME_BYTES;
            int end = body + switch (type) {
                case MessageFrameCodec.OPEN -> 12 + FrameBytes.getInt(batch, body + 8);
                case MessageFrameCodec.DATA -> 4 + FrameBytes.getInt(batch, body);
                case MessageFrameCodec.RUN -> 6 + FrameBytes.getInt(batch, body)
                        * Short.toUnsignedInt(FrameBytes.getShort(batch, body + 4));
                case MessageFrameCodec.CREDIT -> 8;
                case MessageFrameCodec.ERROR -> 6 + Short.toUnsignedInt(FrameBytes.getShort(batch, body + 4));
                case MessageFrameCodec.SETTINGS -> 12;
                default -> 0;
            };
            frames.add(new Frame(type, FrameBytes.getInt(batch, at + 1), at, end));
            at = end;
        }
        return frames;
    }

    /** Returns a batch without one of its frames. */
    static byte[] without(byte[] batch, Frame frame) {
        byte[] rest = new byte[batch.length - (frame.end - frame.at)];
        System.arraycopy(batch, 0, rest, 0, frame.at);
        System.arraycopy(batch, frame.end, rest, frame.at, batch.length - frame.end);
        return rest;
    }

    /** This side sends a batch. */
    List<Frame> sent(byte[] batch) {
        List<Frame> frames = of(batch);
        frames.forEach(frame -> sent(batch, frame));
        return frames;
    }

    private void sent(byte[] batch, Frame frame) {
        simulation.check(!last || BEHIND_LAST.contains(frame.type), side + " sends a frame of type " + frame.type
                + " behind LAST");
        int body = frame.at + MessageFrameCodec.FRAME_BYTES;
        int stream = frame.stream;
        switch (frame.type) {
            case MessageFrameCodec.DATA -> message(stream, 1);
            case MessageFrameCodec.RUN -> message(stream, Short.toUnsignedInt(FrameBytes.getShort(batch, body + 4)));
            case MessageFrameCodec.OPEN -> {
                credit(batch, body, stream);
                byte[] first = Arrays.copyOfRange(batch, body + 12, frame.end);
                granted.merge(stream, RequestHeader.parse(first).atOnce() ? 1 : 0, Integer::sum);
            }
            case MessageFrameCodec.CREDIT -> credit(batch, body, stream);
            case MessageFrameCodec.COMPLETE, MessageFrameCodec.ERROR ->
                simulation.check(ended.add(stream), side + " ends stream " + stream + " twice");
            case MessageFrameCodec.RESET -> {
                used.put(stream, granted.getOrDefault(stream, 0));
                whenReset.run();
            }
            case MessageFrameCodec.LAST -> last = true;
            default -> { }
        }
    }

    private void credit(byte[] batch, int body, int stream) {
        other.granted.merge(peers(stream), FrameBytes.getInt(batch, body), Integer::sum);
    }

    /** This side offers a large message. */
    void large(byte[] header) {
        simulation.check(!last, side + " offers a message behind LAST");
        message(MessageFrameCodec.stream(header), 1);
    }

    private void message(int stream, int count) {
        simulation.check(!ended.contains(stream), side + " sends a message behind the end of stream " + stream);
        int sum = used.merge(stream, count, Integer::sum);
        simulation.check(sum <= granted.getOrDefault(stream, 0), side + " sends " + sum + " messages on stream "
                + stream + " with credit for " + granted.getOrDefault(stream, 0));
    }

    /** Each side sets the lowest bit for the streams that it has opened. */
    private static int peers(int stream) {
        return stream == 0 ? 0 : stream ^ 1;
    }
}

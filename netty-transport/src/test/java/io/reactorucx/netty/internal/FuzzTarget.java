package io.reactorucx.netty.internal;

/** What Jazzer calls with each input that it has made up; public, because Jazzer is elsewhere. */
public final class FuzzTarget {

    /** Names the parser. */
    static final String PARSER = "io.reactorucx.netty.fuzz.parser";

    private static final FrameParser READER = FrameParser.valueOf(System.getProperty(PARSER));

    private FuzzTarget() {
    }

    public static void fuzzerTestOneInput(byte[] bytes) {
        READER.read(bytes);
    }
}

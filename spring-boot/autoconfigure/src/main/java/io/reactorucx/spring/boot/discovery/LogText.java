package io.reactorucx.spring.boot.discovery;

import org.jspecify.annotations.Nullable;

/** Text of a registry for a line of the log: who may register can begin no line of its own, and write no long one. */
final class LogText {

    private static final int MAX_LENGTH = 200;

    private LogText() {
    }

    static String of(@Nullable String text) {
        String all = String.valueOf(text);
        StringBuilder shown = new StringBuilder();
        all.codePoints().limit(MAX_LENGTH).forEach(each -> shown.appendCodePoint(isPlain(each) ? each : '?'));
        return shown.append(all.length() > shown.length() ? "..." : "").toString();
    }

    private static boolean isPlain(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}

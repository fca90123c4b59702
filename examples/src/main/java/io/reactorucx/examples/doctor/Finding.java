package io.reactorucx.examples.doctor;

/**
 * What a check found.
 *
 * @param check name of the check, in small letters with hyphens; stays the same in later versions
 * @param severity how much it matters
 * @param measured what is so
 * @param meaning what follows from it
 * @param remedy a command or setting that changes it; empty when nothing has to be done
 */
public record Finding(String check, Severity severity, String measured, String meaning, String remedy) {

    static Finding ok(String check, String measured, String meaning) {
        return new Finding(check, Severity.OK, measured, meaning, "");
    }

    static Finding note(String check, String measured, String meaning, String remedy) {
        return new Finding(check, Severity.NOTE, measured, meaning, remedy);
    }

    static Finding warning(String check, String measured, String meaning, String remedy) {
        return new Finding(check, Severity.WARNING, measured, meaning, remedy);
    }

    static Finding error(String check, String measured, String meaning, String remedy) {
        return new Finding(check, Severity.ERROR, measured, meaning, remedy);
    }
}

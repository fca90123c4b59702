package io.reactorucx.examples.doctor;

/**
 * A finding of a check.
 *
 * @param check name of the check, in lower case with hyphens; the same in later versions
 * @param severity its severity
 * @param measured what the check measured
 * @param meaning what that means for UCX and this project
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

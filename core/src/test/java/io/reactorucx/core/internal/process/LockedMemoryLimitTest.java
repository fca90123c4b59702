package io.reactorucx.core.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether a process has a limit of locked memory that counts. */
class LockedMemoryLimitTest {

    private static final String WITHOUT_IPC_LOCK = "00000000a80425fb";
    private static final String WITH_IPC_LOCK = "000001ffffffffff";

    @TempDir
    private Path process;

    private String explanation(String soft, String capabilities) throws IOException {
        Files.writeString(process.resolve("limits"), """
                Limit                     Soft Limit           Hard Limit           Units
                Max open files            1024                 524288               files
                Max locked memory         %-20s unlimited            bytes
                """.formatted(soft));
        Files.writeString(process.resolve("status"), "Name:\tjava\nCapEff:\t" + capabilities + "\n");
        return String.valueOf(new LockedMemoryLimit(process).explanation());
    }

    @Test
    void namesTheLimitAndItsRemedy() throws IOException {
        assertThat(explanation("65536", WITHOUT_IPC_LOCK)).contains("may lock 64 KiB").contains("ulimit -l unlimited");
        assertThat(explanation("8388608", WITHOUT_IPC_LOCK)).contains("may lock 8192 KiB");
    }

    @Test
    void isSilentWithoutALimit() throws IOException {
        assertThat(explanation("unlimited", WITHOUT_IPC_LOCK)).isEqualTo("null");
        assertThat(explanation("65536", WITH_IPC_LOCK)).as("the kernel limits no such process").isEqualTo("null");
        assertThat(new LockedMemoryLimit(process.resolve("missing")).explanation()).isNull();
    }
}

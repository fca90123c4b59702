package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The table knows what a map knows, whatever is put in and taken out. */
class HandleTableTest {

    @Test
    void isAsAMap() {
        HandleTable<String> table = new HandleTable<>();
        Map<Long, String> map = new HashMap<>();
        Random random = new Random(7);
        for (int i = 0; i < 50_000; i++) {
            // Addresses of one allocator: near each other, and never odd.
            long handle = 0x7f00_0000_0000L + 16L * random.nextInt(1500);
            if (random.nextInt(3) == 0) {
                table.remove(handle);
                map.remove(handle);
            } else {
                table.put(handle, "of " + i);
                map.put(handle, "of " + i);
            }
            long looked = 0x7f00_0000_0000L + 16L * random.nextInt(1500);
            assertThat(table.get(looked)).isEqualTo(map.get(looked));
        }
        assertThat(table.all()).containsExactlyInAnyOrderElementsOf(map.values());
        map.forEach((handle, value) -> assertThat(table.get(handle)).isEqualTo(value));
    }
}

package io.reactorucx.core.ffi;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.ffi.Bindings.Member;
import io.reactorucx.core.ffi.Bindings.Struct;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares the generated bindings with the UCX headers of this machine, as the C compiler understands them: the size of
 * every struct, offset and size of every member, the value of every constant. The headers may be older than the
 * bindings, back to 1.13. What they lack then has to stand in {@link #ADDED} with a later version, and the end of its
 * struct is the only place where a member may be missing. Checked with the headers of each minor version from 1.13 to
 * 1.22; other ones are tried by naming their folder in CPATH.
 */
@Tag("slow")
class LayoutConformanceTest {
    private static final int OLDEST = 13;
    private static final int NOT_YET_RELEASED = Integer.MAX_VALUE;

    /**
     * What came after 1.13: minor version, then structs, members and constants. A name stands for all that begins with
     * it and a dot.
     */
    private static final Map<Integer, List<String>> ADDED = Map.ofEntries(
            entry(14, List.of("ucp_datatype_attr", "ucp_ep_attr.transports", "ucp_mem_map_params.exported_memh_buffer",
                    "ucp_memh_buffer_release_params", "ucp_memh_pack_params", "ucp_transport_entry_t",
                    "ucp_transports_t", "uct_md_mem_attr.dmabuf_fd", "uct_md_mem_attr.dmabuf_offset",
                    "UCP_AM_SEND_FLAG_COPY_HEADER", "UCP_DATATYPE_ATTR_FIELD_BUFFER", "UCP_DATATYPE_ATTR_FIELD_COUNT",
                    "UCP_DATATYPE_ATTR_FIELD_PACKED_SIZE", "UCP_EP_ATTR_FIELD_TRANSPORTS", "UCP_FEATURE_EXPORTED_MEMH",
                    "UCP_MEMH_PACK_FLAG_EXPORT", "UCP_MEMH_PACK_PARAM_FIELD_FLAGS",
                    "UCP_MEM_MAP_PARAM_FIELD_EXPORTED_MEMH_BUFFER", "UCT_COMPONENT_FLAG_RKEY_PTR",
                    "UCT_DMABUF_FD_INVALID", "UCT_MD_FLAG_EXPORTED_MKEY", "UCT_MD_FLAG_REG_DMABUF",
                    "UCT_MD_GLOBAL_ID_MAX", "UCT_MD_MEM_ATTR_FIELD_DMABUF_FD", "UCT_MD_MEM_ATTR_FIELD_DMABUF_OFFSET")),
            entry(15, List.of("UCT_MD_FLAG_LAST")),
            entry(16, List.of("ucp_rkey_compare_params", "UCP_MEM_MAP_SYMMETRIC_RKEY", "UCS_MEMORY_TYPE_RDMA",
                    "UCT_MD_MEM_SYMMETRIC_RKEY")),
            entry(17, List.of("UCS_MEMORY_TYPE_ZE_DEVICE", "UCS_MEMORY_TYPE_ZE_HOST", "UCS_MEMORY_TYPE_ZE_MANAGED")),
            entry(18, List.of("ucp_ep_attr.user_data", "UCP_EP_ATTR_FIELD_USER_DATA", "UCP_MEM_MAP_LOCK",
                    "UCT_MD_MEM_GVA")),
            entry(19, List.of("uct_allocated_memory.sys_device", "uct_mem_alloc_params_t.sys_device",
                    "UCT_MEM_ALLOC_PARAM_FIELD_SYS_DEVICE")),
            entry(20, List.of("ucp_context_attr.device_counter_size", "ucp_params.node_local_id",
                    "UCP_ATTR_FIELD_DEVICE_COUNTER_SIZE",
                    "UCP_FEATURE_DEVICE", "UCP_PARAM_FIELD_NODE_LOCAL_ID")),
            entry(21, List.of("UCP_ERR_HANDLING_MODE_FAILOVER", "UCS_MEMORY_TYPE_GAUDI")),
            entry(22, List.of("ucp_request_param_t.remote", "ucp_request_param_t.remote_count",
                    "ucp_request_param_t.remote_datatype",
                    "UCP_DATATYPE_SGL", "UCP_DT_LOCAL_SGL_FIELD_BUFFERS", "UCP_DT_LOCAL_SGL_FIELD_COUNTS",
                    "UCP_DT_LOCAL_SGL_FIELD_LENGTHS", "UCP_DT_LOCAL_SGL_FIELD_MEMHS", "UCP_DT_LOCAL_SGL_FIELD_STRIDES",
                    "UCP_DT_REMOTE_SGL_FIELD_LENGTHS", "UCP_DT_REMOTE_SGL_FIELD_REMOTE_ADDRS",
                    "UCP_DT_REMOTE_SGL_FIELD_RKEYS", "UCP_OP_ATTR_FIELD_REMOTE", "UCP_OP_ATTR_FIELD_REMOTE_COUNT",
                    "UCP_OP_ATTR_FIELD_REMOTE_DATATYPE", "UCP_REMOTE_ADDR_INVALID", "UCP_RKEY_INVALID",
                    "UCS_SYS_DEVICE_USER_VALUE_EMPTY")),
            entry(NOT_YET_RELEASED,
                    List.of("ucp_worker_attr.address_device_name", "UCP_WORKER_ATTR_FIELD_ADDRESS_DEVICE_NAME",
                    "UCS_SYS_DEVICE_ID_COUNT", "UCS_SYS_DEVICE_ORDINAL_INVALID")));

    /**
     * Constants whose value differs between versions, and why; code must not rely on one that it takes from the
     * bindings.
     */
    private static final Map<String, String> MOVING = Map.of(
            "UCP_API_MINOR", "the version itself",
            "UCS_MEMORY_TYPE_LAST", "one past the last memory type: 5 up to 1.15, 6 in 1.16, 9 from 1.17, 10 from 1.21",
            "UCS_MEMORY_TYPE_UNKNOWN",
            "the same number as UCS_MEMORY_TYPE_LAST; up to 1.15 it is what later means RDMA", "UCS_SYS_DEVICE_ID_MAX",
            "255 in all releases up to 1.22, 254 in the newest headers");

    @TempDir
    static Path folder;

    private static SortedMap<String, Struct> structs;
    private static SortedMap<String, Number> constants;
    private static Map<String, Long> inC = Map.of();
    private static int minor;
    private static String obstacle = "";

    @BeforeAll
    static void compileProbe() throws IOException, InterruptedException, ReflectiveOperationException {
        structs = Bindings.structs();
        constants = Bindings.constants();
        Path headers = Path.of(System.getProperty("basedir", "."), "src", "main", "jextract").toAbsolutePath();
        Optional<CProbe> probe = CProbe.create(folder, headers);
        if (probe.isEmpty()) {
            obstacle = "no C compiler (cc, gcc or clang) on the PATH";
            return;
        }
        String complaint = probe.get().complaintAboutHeaders();
        if (!complaint.isEmpty()) {
            obstacle = "UCX's headers are not installed or not usable: " + complaint.lines()
                    .filter(line -> line.contains("error")).findFirst().orElse(complaint);
            return;
        }
        inC = probe.get().evaluate(Stream.concat(
                constants.keySet().stream(),
                structs.values().stream().flatMap(Struct::expressions)).toList());
        minor = inC.get("UCP_API_MINOR").intValue();
        if (minor < OLDEST) {
            obstacle = "UCX's headers are those of 1." + minor + ", older than 1." + OLDEST;
        }
    }

    /**
     * Not in {@link #compileProbe}: Surefire does not count the tests of a class that is abandoned there, not even as
     * skipped.
     */
    @BeforeEach
    void skipWithoutProbe() {
        assumeTrue(obstacle.isEmpty(), obstacle);
    }

    @Test
    void coversAllThatIsGenerated() {
        assertThat(structs).hasSize(51).containsKeys("ucp_request_param_t", "uct_md_attr", "sockaddr_in6");
        assertThat(constants).hasSize(314).containsKeys("UCS_OK", "UCS_ERR_LAST", "UCP_FEATURE_AM", "UCT_MD_FLAG_ALLOC",
                "AF_INET6");
    }

    @Test
    void whatTheHeadersLackCameLater() {
        List<String> absent = Stream.concat(
                constants.keySet().stream().filter(name -> !inC.containsKey(name)),
                structs.values().stream().flatMap(LayoutConformanceTest::absentParts)).toList();
        System.out.println("UCX 1." + minor + " lacks " + absent.size() + " names of the bindings: " + absent);

        assertThat(absent).as("names that UCX 1.%d lacks although it should have them", minor)
                .allMatch(name -> since(name) > minor);
    }

    @Test
    void membersStandWhereCHasThem() {
        List<String> differences = new ArrayList<>();
        for (Struct struct : structs.values()) {
            for (Member member : struct.members()) {
                Long offset = inC.get(struct.offsetOf(member));
                Long size = inC.get(struct.sizeOf(member));
                if (offset != null && (offset != member.offset() || size == null || size != member.size())) {
                    differences.add("%s.%s: offset %d size %d, in C %d and %d".formatted(
                            struct.name(), member.path(), member.offset(), member.size(), offset, size));
                }
            }
        }
        assertThat(differences).isEmpty();
    }

    @Test
    void structsAreAsLargeAsInCOrOnlyLackTheirEnd() {
        List<String> differences = new ArrayList<>();
        for (Struct struct : structs.values()) {
            Long size = inC.get(struct.sizeOf());
            if (size == null || size == struct.size() || minor > ucx_h.UCP_API_MINOR() && size > struct.size()) {
                continue;
            }
            long end = struct.members().stream().filter(member -> inC.containsKey(struct.offsetOf(member)))
                    .mapToLong(Member::end).max().orElse(0);
            List<Member> absent = absent(struct);
            if (size > struct.size() || absent.isEmpty() || absent.stream().anyMatch(member -> member.offset() < end)) {
                differences.add("%s: size %d, in C %d, absent %s"
                        .formatted(struct.name(), struct.size(), size, absent));
            }
        }
        assertThat(differences).isEmpty();
    }

    @Test
    void constantsHaveTheirValueInC() {
        List<String> differences = new ArrayList<>();
        constants.forEach((name, value) -> {
            Long expected = inC.get(name);
            if (expected == null || MOVING.containsKey(name)) {
                return;
            }
            // jextract makes an int of what C may see as unsigned int.
            long comparable = value instanceof Integer ? expected.intValue() : expected;
            if (comparable != value.longValue()) {
                differences.add("%s: %d, in C %d".formatted(name, value.longValue(), expected));
            }
        });
        assertThat(differences).isEmpty();
    }

    private static List<Member> absent(Struct struct) {
        return struct.members().stream().filter(member -> !inC.containsKey(struct.offsetOf(member))).toList();
    }

    private static Stream<String> absentParts(Struct struct) {
        return inC.containsKey(struct.sizeOf())
                ? absent(struct).stream().map(member -> struct.name() + "." + member.path())
                : Stream.of(struct.name());
    }

    private static int since(String name) {
        return ADDED.entrySet().stream()
                .filter(version -> version.getValue().stream().anyMatch(added -> name.equals(added)
                || name.startsWith(added + ".")))
                .mapToInt(Map.Entry::getKey).findFirst().orElse(OLDEST);
    }
}

package io.reactorucx.uct;

import java.util.Set;

/** Operations that only some memory domains support, see {@link UctMemoryDomain#isSupported}. */
public enum UctMdOperation {
    /** {@link UctMemoryDomain#allocate} with the method {@link UctAllocationMethod#MD}. */
    ALLOCATE("uct_mem_alloc", "does not allocate memory (UCT_MD_FLAG_ALLOC)"),
    /** The same at a fixed address. */
    ALLOCATE_FIXED("uct_mem_alloc", "does not allocate memory at a fixed address (UCT_MD_FLAG_FIXED)"),
    /** {@link UctMemoryDomain#register}. */
    REGISTER("uct_md_mem_reg", "does not register memory (UCT_MD_FLAG_REG)"),
    /** {@link UctMemory#advise}. */
    ADVISE("uct_md_mem_advise", "takes no advice (UCT_MD_FLAG_ADVISE)"),
    /** {@link UctMemoryDomain#queryMemory}. */
    QUERY_MEMORY("uct_md_mem_query", "recognises no type of memory"),
    /** {@link UctMemoryDomain#detectMemoryType}. */
    DETECT_MEMORY_TYPE("uct_md_detect_memory_type", "recognises no type of memory"),
    /** {@link UctRemoteKey#pointer()}. */
    REMOTE_POINTER("uct_rkey_ptr", "gives no pointers to remote memory (UCT_COMPONENT_FLAG_RKEY_PTR,"
            + " UCT_MD_FLAG_RKEY_PTR)"),
    /** {@link UctMemoryDomain#isSockaddrAccessible}. */
    SOCKADDR("uct_md_is_sockaddr_accessible", "does not connect by socket addresses (UCT_MD_FLAG_SOCKADDR)");

    private final String function;
    private final String lack;

    UctMdOperation(String function, String lack) {
        this.function = function;
        this.lack = lack;
    }

    /** Name of the function in C. */
    String function() {
        return function;
    }

    /** Returns how an error describes a memory domain that does not support the operation. */
    String lack() {
        return lack;
    }

    boolean isSupported(Set<UctComponentFlag> component, UctMdAttributes attributes) {
        return switch (this) {
            case ALLOCATE -> attributes.flags().contains(UctMdFlag.ALLOC);
            case ALLOCATE_FIXED -> attributes.flags().contains(UctMdFlag.ALLOC)
                    && attributes.flags().contains(UctMdFlag.FIXED);
            case REGISTER -> attributes.flags().contains(UctMdFlag.REG);
            case ADVISE -> attributes.flags().contains(UctMdFlag.ADVISE);
            // UCX itself queries only these; other domains may have no function for it, and a call would end the
            // process.
            case QUERY_MEMORY, DETECT_MEMORY_TYPE -> !attributes.detectableTypes().isEmpty();
            case REMOTE_POINTER -> attributes.flags().contains(UctMdFlag.RKEY_PTR)
                    || component.contains(UctComponentFlag.RKEY_PTR);
            case SOCKADDR -> attributes.flags().contains(UctMdFlag.SOCKADDR);
        };
    }
}

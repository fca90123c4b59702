/*
 * A component of UCT that does what those of accelerators do, for machines without one: it recognises memory, takes advice, tells whether
 * socket addresses are accessible. The structs are UCT's own of UCX 1.13, as far as the component needs them; its headers do not have them.
 */
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <uct/api/uct.h>

struct list { struct list *prev, *next; };

struct config_entry {
    const char *name;
    const char *prefix;
    void *table;
    size_t size;
    struct list list;
};

struct md_ops {
    void (*close)(uct_md_h);
    ucs_status_t (*query)(uct_md_h, uct_md_attr_t *);
    void *mem_alloc;
    void *mem_free;
    ucs_status_t (*mem_advise)(uct_md_h, uct_mem_h, void *, size_t, unsigned);
    ucs_status_t (*mem_reg)(uct_md_h, void *, size_t, unsigned, uct_mem_h *);
    ucs_status_t (*mem_dereg)(uct_md_h, const void *);
    ucs_status_t (*mem_query)(uct_md_h, const void *, size_t, uct_md_mem_attr_t *);
    ucs_status_t (*mkey_pack)(uct_md_h, uct_mem_h, const void *, void *);
    int (*is_sockaddr_accessible)(uct_md_h, const ucs_sock_addr_t *, uct_sockaddr_accessibility_t);
    ucs_status_t (*detect_memory_type)(uct_md_h, const void *, size_t, ucs_memory_type_t *);
};

struct component {
    char name[UCT_COMPONENT_NAME_MAX];
    ucs_status_t (*query_md_resources)(struct component *, uct_md_resource_desc_t **, unsigned *);
    ucs_status_t (*md_open)(struct component *, const char *, const void *, uct_md_h *);
    void *cm_open;
    ucs_status_t (*rkey_unpack)(struct component *, const void *, uct_rkey_t *, void **);
    void *rkey_ptr;
    ucs_status_t (*rkey_release)(struct component *, uct_rkey_t, void *);
    struct config_entry md_config;
    struct config_entry cm_config;
    struct list tl_list;
    struct list list;
    uint64_t flags;
    void (*md_vfs_init)(uct_md_h);
};

struct md {
    struct md_ops *ops;
    struct component *component;
};

void uct_component_register(struct component *component);

static struct component component;
static char no_settings[256];
static int open_domains, registrations;

static void close_md(uct_md_h md) { open_domains--; }

static ucs_status_t query(uct_md_h md, uct_md_attr_t *attr)
{
    memset(attr, 0, sizeof(*attr));
    attr->cap.flags = UCT_MD_FLAG_REG | UCT_MD_FLAG_ADVISE | UCT_MD_FLAG_SOCKADDR | UCT_MD_FLAG_INVALIDATE | UCT_MD_FLAG_NEED_MEMH
                      | UINT64_C(1) << 40;
    attr->cap.max_reg = 1 << 20;
    attr->cap.reg_mem_types = UCS_BIT(UCS_MEMORY_TYPE_HOST) | UCS_BIT(UCS_MEMORY_TYPE_CUDA);
    attr->cap.detect_mem_types = UCS_BIT(UCS_MEMORY_TYPE_CUDA) | UCS_BIT(UCS_MEMORY_TYPE_CUDA_MANAGED);
    attr->cap.access_mem_types = UCS_BIT(UCS_MEMORY_TYPE_HOST) | UCS_BIT(UCS_MEMORY_TYPE_ROCM_MANAGED);
    attr->reg_cost.c = 1e-6;
    attr->reg_cost.m = 2e-9;
    attr->rkey_packed_size = 8;
    attr->local_cpus.ucs_bits[0] = 0xa;
    attr->local_cpus.ucs_bits[1] = 1;
    return UCS_OK;
}

static ucs_status_t mem_reg(uct_md_h md, void *address, size_t length, unsigned flags, uct_mem_h *memh)
{
    if (length == 13) {
        return UCS_ERR_IO_ERROR;
    }
    registrations++;
    *memh = address;
    return UCS_OK;
}

static ucs_status_t mem_dereg(uct_md_h md, const void *params)
{
    registrations--;
    return UCS_OK;
}

/* Accepts one advice: all but the first eight bytes of 64 will be needed. */
static ucs_status_t mem_advise(uct_md_h md, uct_mem_h memh, void *address, size_t length, unsigned advice)
{
    return (char *)address == (char *)memh + 8 && length == 56 && advice == UCT_MADV_WILLNEED ? UCS_OK : UCS_ERR_BUSY;
}

static ucs_status_t mem_query(uct_md_h md, const void *address, size_t length, uct_md_mem_attr_t *attr)
{
    if (length == 13) {
        return UCS_ERR_INVALID_ADDR;
    }
    if (attr->field_mask & UCT_MD_MEM_ATTR_FIELD_MEM_TYPE) {
        attr->mem_type = UCS_MEMORY_TYPE_CUDA_MANAGED;
    }
    if (attr->field_mask & UCT_MD_MEM_ATTR_FIELD_SYS_DEV) {
        attr->sys_dev = 200;
    }
    if (attr->field_mask & UCT_MD_MEM_ATTR_FIELD_BASE_ADDRESS) {
        attr->base_address = (char *)address - 100;
    }
    if (attr->field_mask & UCT_MD_MEM_ATTR_FIELD_ALLOC_LENGTH) {
        attr->alloc_length = length + 200;
    }
    return UCS_OK;
}

static ucs_status_t mkey_pack(uct_md_h md, uct_mem_h memh, const void *params, void *key)
{
    memcpy(key, &memh, 8);
    return UCS_OK;
}

/* Port 1234 is here, all of IPv6 is out there. */
static int is_sockaddr_accessible(uct_md_h md, const ucs_sock_addr_t *address, uct_sockaddr_accessibility_t mode)
{
    if (mode == UCT_SOCKADDR_ACC_LOCAL) {
        return address->addrlen == sizeof(struct sockaddr_in) && ((struct sockaddr_in *)address->addr)->sin_port == htons(1234);
    }
    return address->addrlen == sizeof(struct sockaddr_in6) && address->addr->sa_family == AF_INET6 ? 5 : 0;
}

static ucs_status_t detect(uct_md_h md, const void *address, size_t length, ucs_memory_type_t *type)
{
    *type = UCS_MEMORY_TYPE_CUDA;
    return length == 13 ? UCS_ERR_INVALID_ADDR : UCS_OK;
}

static struct md_ops ops = {
    .close = close_md, .query = query, .mem_advise = mem_advise, .mem_reg = mem_reg, .mem_dereg = mem_dereg, .mem_query = mem_query,
    .mkey_pack = mkey_pack, .is_sockaddr_accessible = is_sockaddr_accessible, .detect_memory_type = detect
};

static ucs_status_t query_md_resources(struct component *self, uct_md_resource_desc_t **resources, unsigned *count)
{
    *resources = calloc(2, sizeof(**resources));
    strcpy((*resources)[0].md_name, "accelerator0");
    strcpy((*resources)[1].md_name, "accelerator1");
    *count = 2;
    return UCS_OK;
}

static ucs_status_t md_open(struct component *self, const char *name, const void *config, uct_md_h *md)
{
    static struct md domains[2];
    struct md *domain = &domains[name[strlen(name) - 1] - '0'];
    domain->ops = &ops;
    domain->component = &component;
    open_domains++;
    *md = (uct_md_h)domain;
    return UCS_OK;
}

static ucs_status_t rkey_unpack(struct component *self, const void *key, uct_rkey_t *rkey, void **handle)
{
    memcpy(rkey, key, 8);
    *handle = &component;
    registrations += 100;
    return UCS_OK;
}

static ucs_status_t rkey_release(struct component *self, uct_rkey_t rkey, void *handle)
{
    registrations -= 100;
    return UCS_OK;
}

static void md_vfs_init(uct_md_h md) { }

/* What was opened and not closed, for the test. */
int accelerator_open(void) { return open_domains * 10000 + registrations; }

__attribute__((constructor)) static void init(void)
{
    strcpy(component.name, "accelerator");
    component.query_md_resources = query_md_resources;
    component.md_open = md_open;
    component.rkey_unpack = rkey_unpack;
    component.rkey_release = rkey_release;
    component.md_config = (struct config_entry) { .name = "accelerator", .prefix = "ACCELERATOR_", .table = no_settings, .size = 1 };
    component.tl_list.prev = component.tl_list.next = &component.tl_list;
    component.md_vfs_init = md_vfs_init;
    uct_component_register(&component);
}

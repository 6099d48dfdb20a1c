/* two_versions LIBRARY: this program holds gpcl as a static library and shows its symbols to what
 * it loads. The shared library of another version, loaded into it, still keeps to itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <gpcl/gpcl.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char *what) {
    if (holds) return;
    printf("failed: %s\n", what);
    ++failures;
}

/* ISO C has no cast from an object's pointer to a function's. */
static void look_up(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    check(found != NULL, name);
    memcpy(function, &found, sizeof found);
}

int main(int argc, char **argv) {
    float ours[] = {3.0f, 1.0f, 2.0f}, theirs[] = {6.0f, 4.0f, 5.0f};
    gp_context *our_context = NULL, *their_context = NULL;
    const char *(*their_version)(void) = NULL;
    const char *(*their_message)(void) = NULL;
    gp_status (*their_open)(const char *, gp_context **) = NULL;
    gp_status (*their_sort)(gp_context *, gp_dtype, size_t, void *, const gp_sort_options *) = NULL;
    gp_status (*their_close)(gp_context *) = NULL;
    char version[32];
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;

    if (library == NULL) {
        printf("%s\n", argc == 2 ? dlerror() : "usage: two_versions LIBRARY");
        return 1;
    }
    look_up(library, "gp_version", &their_version);
    look_up(library, "gp_error_message", &their_message);
    look_up(library, "gp_open", &their_open);
    look_up(library, "gp_sort", &their_sort);
    look_up(library, "gp_close", &their_close);
    if (failures > 0) return 1;

    snprintf(version, sizeof version, "%d.%d.%d", GP_VERSION_MAJOR, GP_VERSION_MINOR, GP_VERSION_PATCH);
    check(strcmp(gp_version(), version) == 0, "the program calls its own version");
    check(strcmp(their_version(), version) != 0, "the library loaded is of another version");

    check(gp_open(NULL, &our_context) == GP_SUCCESS, "gp_open");
    check(their_open(NULL, &their_context) == GP_SUCCESS, "the other gp_open");
    check(gp_sort(our_context, GP_FLOAT32, 3, ours, NULL) == GP_SUCCESS && ours[0] == 1.0f, "gp_sort");
    check(their_sort(their_context, GP_FLOAT32, 3, theirs, NULL) == GP_SUCCESS && theirs[0] == 4.0f,
          "the other gp_sort");
    check(their_sort(our_context, GP_FLOAT32, 3, theirs, NULL) == GP_ERROR_HANDLE, "a handle of ours is foreign there");
    check(gp_error_message()[0] == '\0' && their_message()[0] != '\0', "each has its own errors");
    check(their_close(their_context) == GP_SUCCESS && gp_close(our_context) == GP_SUCCESS, "gp_close");
    check(dlclose(library) == 0, "dlclose");
    if (failures == 0) printf("%s inside, another beside it: apart\n", version);
    return failures == 0 ? 0 : 1;
}

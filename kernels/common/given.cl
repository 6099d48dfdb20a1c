// Numbers that a kernel takes as the members of one struct, its last argument: a driver takes time
// for each argument. Task::launch_with_struct passes them.
//
// The struct ends with a number that nothing reads: rusticl counts no padding behind the last
// member.
//
// A list of numbers is a macro of X that has X(type, name) for each, in the host's order. The
// kernel's parameter is called `given`.
//
// Gives: GP_STRUCT(Name, LIST), the struct; GP_TAKE(LIST), which begins the kernel: a variable of
//        each member's name
// SPDX-License-Identifier: MIT
#define GP_MEMBER(type, name) type name;
#define GP_VARIABLE(type, name) type name = given.name;
#define GP_STRUCT(NAME, LIST)                                                                                          \
    typedef struct {                                                                                                   \
        LIST(GP_MEMBER)                                                                                                \
        ulong end;                                                                                                     \
    } NAME
#define GP_TAKE(LIST) LIST(GP_VARIABLE)

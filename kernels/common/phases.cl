// Tasks of several phases in one launch: those of a phase begin when all before are done.
//
// There are `first` tasks in the first phase, which may be none, then phases of `tasks` each.
// Work-groups draw tasks by number. So every task that one waits for is done, or is that of a
// work-group which has begun and will come to its end. However many work-groups run side by side,
// one at a time is enough. Not every device lets the others go on while one waits. So each wait
// ends after GP_SPIN_LIMIT looks; then the phase is called off, for all, and the last work-group
// that ends does what is left alone. The pattern, by all work-items:
//
//     const Phases all = {first, tasks, how many phases have so many};
//     Turn turn = GP_FIRST_TURN;
//     while (gp_next_task(phases, &all, &turn, &drawn)) {
//         ... // task number turn.task
//     }
//
// Macros: GP_SPIN_LIMIT, looks of a work-group before it calls a phase off; GP_FALLBACK_ONLY, for
//         tests: each is called off
// Gives:  Phases, Turn, GP_FIRST_TURN, gp_next_task
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "common/last_group.cl"
#ifndef GP_SPIN_LIMIT
#error "GP_SPIN_LIMIT must be defined"
#endif

// Words of `phases`, apart from each other as memory is: 96 zeros, before and after.
#define GP_TASKS_DRAWN 0
#define GP_TASKS_DONE 32 // of all phases but the last one; and which phases are called off
#define GP_GROUPS_LEFT 64

#define GP_MOST_TASKS 0x3fffffu
#define GP_PHASE_OFF(phase) ((GP_MOST_TASKS + 1) << (phase)) // of phases 0 to 9
#define GP_NO_TASK 0xffffffffu

// Up to GP_MOST_TASKS tasks in 10 phases.
typedef struct {
    uint first, tasks, later;
} Phases;

typedef struct {
    uint task;
    bool is_alone;
    bool is_over; // set by who finds that no task has anything to do, as all others find, too
    bool is_last; // when no task is left: have all other work-groups ended?
} Turn;
#define GP_FIRST_TURN                                                                                                  \
    { GP_NO_TASK, false, false, false }

GP_INLINE uint gp_all_tasks(const Phases *all) { return all->first + all->later * all->tasks; }

GP_INLINE uint gp_phase(uint task, const Phases *all) {
    return task == GP_NO_TASK || task < all->first ? 0 : 1 + (task - all->first) / all->tasks;
}

// Are the tasks before a phase done? If not, it calls the phase off: all go on, or none does.
GP_INLINE bool gp_may_begin(volatile global uint *done, uint phase, uint before) {
    const uint off = GP_PHASE_OFF(phase);
#ifdef GP_FALLBACK_ONLY
    atomic_or(done, off);
    return false;
#else
    uint here = gp_look_uint(done);
    for (uint looks = 0; (here & GP_MOST_TASKS) < before && looks < GP_SPIN_LIMIT; ++looks) here = gp_look_uint(done);
    while ((here & GP_MOST_TASKS) < before && (here & off) == 0) {
        const uint was = atomic_cmpxchg(done, here, here | off);
        here = was == here ? here | off : was;
    }
    return (here & off) == 0;
#endif
}

// The task behind task `last`. One work-item calls it for all, whose writes came before a barrier.
GP_INLINE uint gp_draw_task(volatile global uint *phases, const Phases *all, uint last) {
    gp_fence_device();
    if (last < gp_all_tasks(all) - all->tasks) gp_take_ticket(phases + GP_TASKS_DONE);
    const uint task = gp_take_ticket(phases + GP_TASKS_DRAWN);
    if (task >= gp_all_tasks(all)) return GP_NO_TASK;
    const uint phase = gp_phase(task, all), before = phase == 0 ? 0 : all->first + (phase - 1) * all->tasks;
    const bool begins = phase > gp_phase(last, all) && before > 0;
    if (begins && !gp_may_begin(phases + GP_TASKS_DONE, phase, before)) return GP_NO_TASK;
    gp_fence_device();
    return task;
}

// Gives this work-group its next task, behind turn->task; false: none is left. Called by all
// work-items of all work-groups, which give the same phases. A task sees what those of the phases
// before it wrote. `drawn` is local memory for a number.
GP_INLINE bool gp_next_task(volatile global uint *phases, const Phases *all, Turn *turn, local uint *drawn) {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (turn->is_alone) return !turn->is_over && ++turn->task < gp_all_tasks(all);
    if (!turn->is_over) {
        if (get_local_id(0) == 0) *drawn = gp_draw_task(phases, all, turn->task);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        turn->task = *drawn;
        if (turn->task != GP_NO_TASK) return true;
    }
    turn->is_last = gp_is_last(phases + GP_GROUPS_LEFT, (uint)get_num_groups(0), drawn);
    if (!turn->is_last) return false;
    const uint done = gp_look_uint(phases + GP_TASKS_DONE);
    barrier(CLK_GLOBAL_MEM_FENCE); // all have looked
    if (get_local_id(0) == 0) {
        gp_publish_uint(phases + GP_TASKS_DRAWN, 0);
        gp_publish_uint(phases + GP_TASKS_DONE, 0);
    }
    // Whoever called a phase off had drawn a task of it, so all before were drawn, and are done.
    turn->task = done & GP_MOST_TASKS;
    turn->is_alone = done > GP_MOST_TASKS;
    return turn->is_alone;
}

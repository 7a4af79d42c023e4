/**
 * How long a test waits before it takes something for lost: a limit for hangs, not for speed, so that a machine that is
 * busy with other work makes the tests slow and not red. The tests have no other.
 */
export const patienceMs = 300_000

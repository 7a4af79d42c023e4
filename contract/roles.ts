/** Roles in a workspace, highest first. No schema here: the app takes these values too. */
export const roles = ['owner', 'admin', 'member'] as const
export type Role = (typeof roles)[number]

/** Whether `role` is at least `needed`. */
export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) <= roles.indexOf(needed)

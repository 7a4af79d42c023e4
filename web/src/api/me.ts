import type { Me } from '@signalbox/contract/app/me.ts'
import type { Role } from '@signalbox/contract/member.ts'
import { usePersonal, useWorkspace } from './queries.ts'

/** Who is signed in; undefined until it is known. */
export const useMe = (): Me | undefined => usePersonal('me', {}).data

const ranks: Record<Role, number> = { owner: 3, admin: 2, member: 1 }

/** The person's role in the workspace of the address. The server decides; screens only mirror it. */
export function useRole(): Role {
  const [workspace, me] = [useWorkspace(), useMe()]
  return me?.workspaces.find(({ slug }) => slug === workspace)?.role ?? 'member'
}

export const useMay = (least: Role): boolean => ranks[useRole()] >= ranks[least]

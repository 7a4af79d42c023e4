import type { Me } from '@signalbox/contract/app/me.ts'
import { isAtLeast, type Role } from '@signalbox/contract/roles.ts'
import { usePersonal, useWorkspace } from './queries.ts'

/** Who is signed in; undefined until it is known. */
export const useMe = (): Me | undefined => usePersonal('me', {}).data

/** The person's role in the workspace of the address. The server decides; screens only mirror it. */
export function useRole(): Role {
  const [workspace, me] = [useWorkspace(), useMe()]
  return me?.workspaces.find(({ slug }) => slug === workspace)?.role ?? 'member'
}

const who = { owner: 'owners', admin: 'owners and admins', member: 'members' }

/** Why the person may not, in the words of every screen; false: they may. */
export const useForbidden = (what: string, least: Role = 'admin'): string | false =>
  !useMay(least) && `Only ${who[least]} can ${what}`

export const useMay = (least: Role): boolean => isAtLeast(useRole(), least)

/** Whether the person owns the installation: in its first workspace, as an owner. */
export function useOwnsInstallation(): boolean {
  const [workspace, me] = [useWorkspace(), useMe()]
  return (
    me?.workspaces.some(({ slug, role, isFirst }) => slug === workspace && role === 'owner' && isFirst) ??
    false
  )
}

import type { Role } from '@signalbox/contract/roles.ts'

export const roleNames: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

export const roleWhat: Record<Role, string> = {
  owner: 'Everything, including deleting teams and the workspace.',
  admin: 'Policies, services, sources, members and the audit log.',
  member: 'Stories, requirements, runs and decisions. Can view settings.',
}

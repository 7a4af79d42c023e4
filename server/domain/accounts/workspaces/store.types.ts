// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectMember { takes: [workspaceId: 'workspaceId', by: ['id' | 'email']]; parameters: { workspaceId: string; id?: string | null | undefined; email?: string | null | undefined }; row: { id: string; email: string; name: string; role: 'owner' | 'admin' | 'member' } }
export interface SelectWorkspaceBySlug { takes: [slug: 'slug']; parameters: { slug: string }; row: { id: string; slug: string; name: string } }
export interface InsertWorkspace { takes: [workspaceId: 'workspaceId', given1: ['slug' | 'name' | 'keySecret' | 'createdAt']]; parameters: { workspaceId: string; slug: string; name: string; keySecret: Buffer; createdAt: Date | string }; row: Record<never, never> }
export interface MarkDeleted { takes: [workspaceId: 'workspaceId', at: 'at']; parameters: { at: Date | string; workspaceId: string }; row: Record<never, never> }
export interface SelectPersonByEmail { takes: [email: 'email']; parameters: { email: string }; row: { id: string; name: string; email: string } }
export interface InsertPerson { takes: [person: ['id' | 'email' | 'name' | 'emailVerified' | 'createdAt']]; parameters: { id: string; email: string; name: string; emailVerified: boolean; createdAt: Date | string }; row: Record<never, never> }
export interface InsertPasswordOfPerson { takes: [personId: 'personId', account: ['id' | 'hash' | 'createdAt']]; parameters: { id: string; personId: string; hash: string; createdAt: Date | string }; row: Record<never, never> }
export interface LockInstance { takes: []; parameters: Record<never, never>; row: Record<never, never> }
export interface IsInstanceInhabited { takes: []; parameters: Record<never, never>; row: { inhabited: boolean } }
export interface InsertMembership { takes: [workspaceId: 'workspaceId', personId: 'personId', role: 'role', at: 'at']; parameters: { workspaceId: string; personId: string; role: string; at: Date | string }; row: Record<never, never> }
export interface UpdateRole { takes: [workspaceId: 'workspaceId', personId: 'personId', role: 'role']; parameters: { role: string; workspaceId: string; personId: string }; row: Record<never, never> }
export interface DeleteMembership { takes: [workspaceId: 'workspaceId', personId: 'personId']; parameters: { workspaceId: string; personId: string }; row: Record<never, never> }
export interface OwnersAnd { parameters: { workspaceId: string; personIds: readonly (string | null)[] }; row: { personId: string; role: 'owner' | 'admin' | 'member' } }
export interface SelectMembers { takes: [workspaceId: 'workspaceId', now: 'now']; parameters: { now: Date | string; workspaceId: string }; row: { id: string; name: string; email: string; role: 'owner' | 'admin' | 'member'; joinedAt: string; lastSeenAt: string | null; activeTokens: number } }
export interface SelectWorkspaceById { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { slug: string; name: string; createdAt: string } }
export interface Named { parameters: { workspaceId: string }; row: { slug: string; name: string } }
export interface UpdateName { parameters: { name: string; workspaceId: string }; row: Record<never, never> }
export interface SelectChecklist { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { done: AnyJson; team: string | null; putAway: boolean } }
export interface UpdateChecklist { takes: [workspaceId: 'workspaceId', putAwayAt: 'putAwayAt']; parameters: { putAwayAt: Date | string | null | undefined; workspaceId: string }; row: { slug: string; name: string; putAway: boolean } }
export interface SelectPagers { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { source: string; name: string; kind: 'generic' | 'grafana' | 'pagerduty' | 'sentry' | 'alertmanager' | 'datadog' | 'newrelic' | 'opsgenie' | 'cloudwatch' | 'azure_monitor' | 'statuspage' | 'uptime'; credentials: boolean; service: string | null } }
export interface SelectMembersOfRoles { takes: [workspaceId: 'workspaceId', roles: 'roles']; parameters: { workspaceId: string; roles: readonly (string | null)[] }; row: { id: string } }
export interface LockWorkspace { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { slug: string; name: string } }
export interface RunnerApproval { parameters: { workspaceId: string }; row: { required: boolean } }
export interface UpdateRunnerApproval { takes: [workspaceId: 'workspaceId', required: 'required']; parameters: { required: boolean; workspaceId: string }; row: Record<never, never> }
export interface OwnAnswers { parameters: { workspaceId: string }; row: { allowed: boolean } }
export interface UpdateOwnAnswers { takes: [workspaceId: 'workspaceId', allowed: 'allowed']; parameters: { allowed: boolean; workspaceId: string }; row: Record<never, never> }
export interface SelectNetworks { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { networks: string[]; runnerNetworks: string[] } }
export interface UpdateNetworks { takes: [workspaceId: 'workspaceId', given1: ['networks' | 'runnerNetworks']]; parameters: { networks: readonly (string | null)[]; runnerNetworks: readonly (string | null)[]; workspaceId: string }; row: Record<never, never> }
export interface SelectRequiresSingleSignOn { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { required: boolean } }
export interface UpdateRequiresSingleSignOn { takes: [workspaceId: 'workspaceId', required: 'required']; parameters: { required: boolean; workspaceId: string }; row: Record<never, never> }
export interface SelectFirstWorkspaceOfInstance { takes: []; parameters: Record<never, never>; row: { id: string } }
export interface IsOwnerOfFirstWorkspace { takes: [personId: 'personId']; parameters: { personId: string }; row: Record<never, never> }

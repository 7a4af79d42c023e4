// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectSessionByDigest { takes: [digest: 'digest', now: 'now', workspace: 'workspace']; parameters: { workspace: string; digest: string; now: Date | string }; row: { sessionId: string; personId: string; name: string; email: string; method: string | null; createdAt: Date; usedAt: Date; provenAt: Date; throughProvider: boolean; workspaceId: string | null; readWorkspaceSlug: string | null; workspaceName: string | null; networks: string[] | null; requiresSingleSignOn: boolean | null; role: 'owner' | 'admin' | 'member' | null } }
export interface UpdateMethodByDigest { takes: [digest: 'digest', given1: ['method' | 'provenAt' | 'throughProvider']]; parameters: { method: string; provenAt: Date | string | null | undefined; throughProvider: boolean; digest: string }; row: Record<never, never> }
export interface UpdateProvenAt { takes: [personId: 'personId', sessionId: 'sessionId', at: 'at']; parameters: { at: Date | string; personId: string; sessionId: string }; row: Record<never, never> }
export interface DeleteSessionsOfHomeless { takes: [personId: 'personId']; parameters: { personId: string }; row: Record<never, never> }
export interface MarkCodeThroughProvider { takes: [personId: 'personId', userCode: 'userCode']; parameters: { personId: string; userCode: string }; row: Record<never, never> }
export interface IsThroughProviderByDeviceCode { takes: [digest: 'digest']; parameters: { digest: string }; row: Record<never, never> }
export interface DeleteSessionByDigest { takes: [digest: 'digest']; parameters: { digest: string }; row: Record<never, never> }
export interface SelectWorkspacesOf { takes: [personId: 'personId']; parameters: { personId: string }; row: { slug: string; name: string; role: 'owner' | 'admin' | 'member'; isFirst: boolean } }
export interface ProlongSession { takes: [personId: 'personId', id: 'id', now: 'now', expiresAt: 'expiresAt']; parameters: { now: Date | string; expiresAt: Date | string; personId: string; id: string }; row: Record<never, never> }
export interface SelectSessionsOf { takes: [personId: 'personId', now: 'now']; parameters: { personId: string; now: Date | string }; row: { id: string; ipAddress: string | null; userAgent: string | null; createdAt: Date; lastUsedAt: Date; expiresAt: Date } }
export interface DeleteSessions { takes: [personId: 'personId', which: ['id' | 'exceptId']]; parameters: { personId: string; id?: string | null | undefined; exceptId?: string | null | undefined }; row: Record<never, never> }
export interface SelectMembershipsOf { takes: [personId: 'personId']; parameters: { personId: string }; row: { workspaceId: string; role: 'owner' | 'admin' | 'member'; name: string } }
export interface SelectPersonBy { takes: [by: ['id' | 'email' | 'credential' | 'challenge']]; parameters: { id?: string | null | undefined; email?: string | null | undefined; credential?: string | null | undefined; challenge?: string | null | undefined }; row: { id: string; name: string; email: string } }
export interface Named { parameters: { personId: string }; row: { name: string } }
export interface UpdateName { parameters: { name: string; now: Date | string; personId: string }; row: Record<never, never> }
export interface SelectAccount { takes: [personId: 'personId']; parameters: { personId: string }; row: { name: string; email: string; twoFactor: boolean; hasPassword: boolean; linked: boolean; passkeys: AnyJson } }
export interface ProveAddress { parameters: { now: Date | string; personId: string }; row: Record<never, never> }
export interface DeletePasskeys { parameters: { personId: string }; row: Record<never, never> }
export interface DeleteTwoFactors { parameters: { personId: string }; row: Record<never, never> }
export interface DeleteFactors { parameters: { personId: string }; row: Record<never, never> }
export interface DeleteChallenges { takes: [personId: 'personId']; parameters: { personId: string }; row: Record<never, never> }
export interface CountAttemptByKey { takes: [key: 'key', now: 'now', endsAt: 'endsAt']; parameters: { key: string; endsAt: Date | string; now: Date | string }; row: { attempts: number; endsAt: Date } }
export interface UncountAttemptByKey { takes: [key: 'key']; parameters: { key: string }; row: Record<never, never> }
export interface DeleteAttemptsByKey { takes: [key: 'key']; parameters: { key: string }; row: Record<never, never> }
export interface InsertFollowUp { takes: [personId: 'personId', given1: ['id' | 'method' | 'requestId' | 'address' | 'at'], dueAt: 'dueAt']; parameters: { id: string; personId: string | null | undefined; method: string | null | undefined; requestId: string; address: string | null | undefined; at: Date | string; dueAt: Date | string }; row: Record<never, never> }
export interface HasDueFollowUpsOfAllPeople { takes: [now: 'now']; parameters: { now: Date | string }; row: { isDue: boolean } }
export interface TakeFollowUpsOfAllPeople { takes: [now: 'now', until: 'until', most: 'most']; parameters: { until: Date | string; now: Date | string; most: number }; row: { id: string; personId: string | null; method: string | null; requestId: string; address: string | null; at: Date } }
export interface DeleteFollowUpById { takes: [id: 'id']; parameters: { id: string }; row: Record<never, never> }
export interface DeleteExpiredSessions { parameters: { now: Date | string }; row: Record<never, never> }
export interface DeleteVerifications { parameters: { now: Date | string }; row: Record<never, never> }
export interface DeleteDeviceCodes { parameters: { now: Date | string }; row: Record<never, never> }
export interface DeleteExpiredAttempts { parameters: { now: Date | string }; row: Record<never, never> }
export interface SelectTwoFactorsOfAllPeople { takes: [afterId: 'afterId', most: 'most']; parameters: { afterId: string | null | undefined; most: number }; row: { id: string; secret: string; backupCodes: string } }
export interface UpdateTwoFactorOfAllPeople { takes: [id: 'id', given1: ['secret' | 'backupCodes' | 'secretBefore' | 'codesBefore']]; parameters: { secret: string; backupCodes: string; id: string; secretBefore: string; codesBefore: string }; row: Record<never, never> }

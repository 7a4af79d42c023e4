// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SeenSources { parameters: { workspaceId: string; id?: string | null | undefined; service?: string | null | undefined }; row: { id: string; json: string } }
export interface SelectSource { takes: [workspaceId: 'workspaceId', id: 'id']; parameters: { workspaceId: string; id: string }; row: { id: string; json: string } }
export interface LockSource { takes: [workspaceId: 'workspaceId', id: 'id']; parameters: { workspaceId: string; id: string }; row: { id: string; kind: 'generic' | 'grafana' | 'pagerduty' | 'sentry' | 'alertmanager' | 'datadog' | 'newrelic' | 'opsgenie' | 'cloudwatch' | 'azure_monitor' | 'statuspage' | 'uptime'; name: string; paused_at: Date | null; secret: Buffer | null; former_until: Date | null } }
export interface InsertSource { parameters: { id: string; workspaceId: string; kind: string; name: string; token: string; secret: Buffer | null | undefined; credentials: Buffer | null | undefined; settings: string; at: Date | string }; row: Record<never, never> }
export interface UpdateSource { parameters: { at: Date | string; name?: string | null | undefined; settings?: string | null | undefined; credentials?: Buffer | null | undefined; pausedAt?: Date | string | null | undefined; deletedAt?: Date | string | null | undefined; secret?: Buffer | null | undefined; formerSecret?: Buffer | null | undefined; formerUntil?: Date | string | null | undefined; workspaceId: string; id: string }; row: Record<never, never> }
export interface DeleteSourceServices { parameters: { workspaceId: string; id: string }; row: Record<never, never> }
export interface InsertSourceServices { parameters: { workspaceId: string; id: string; services: readonly (string | null)[] }; row: Record<never, never> }
export interface SelectUnknownServices { takes: [workspaceId: 'workspaceId', ids: 'ids']; parameters: { ids: readonly (string | null)[]; workspaceId: string }; row: { id: string } }
export interface SelectByToken { takes: [token: 'token']; parameters: { token: string }; row: { id: string; workspaceId: string; kind: 'generic' | 'grafana' | 'pagerduty' | 'sentry' | 'alertmanager' | 'datadog' | 'newrelic' | 'opsgenie' | 'cloudwatch' | 'azure_monitor' | 'statuspage' | 'uptime'; name: string; secret: Buffer | null; formerSecret: Buffer | null; formerUntil: Date | null; settings: AnyJson; paused: boolean } }
export interface SelectSecretsOfAllWorkspaces { takes: []; parameters: Record<never, never>; row: { id: string; secret: Buffer | null; formerSecret: Buffer | null; credentials: Buffer | null } }
export interface UpdateSecretsOfAllWorkspaces { takes: [given0: ['id' | 'secret' | 'formerSecret' | 'credentials']]; parameters: { secret: Buffer | null | undefined; formerSecret: Buffer | null | undefined; credentials: Buffer | null | undefined; id: string }; row: Record<never, never> }

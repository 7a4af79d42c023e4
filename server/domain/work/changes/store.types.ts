// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectChange { takes: [workspaceId: 'workspaceId', key: 'key', agent: 'agent']; parameters: { agent: string | null | undefined; workspaceId: string; key: string }; row: { diff: string | null; findings: AnyJson | null; diffs: AnyJson; isRemoved: boolean } }
export interface SelectEvidence { takes: [workspaceId: 'workspaceId', key: 'key']; parameters: { workspaceId: string; key: string }; row: { runId: string; criteria: AnyJson | null } }

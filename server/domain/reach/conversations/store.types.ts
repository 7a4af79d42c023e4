// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface InsertReply { takes: [workspaceId: 'workspaceId', reply: ['id' | 'personId' | 'channel' | 'source' | 'text' | 'response' | 'asks' | 'at' | 'requirement']]; parameters: { id: string; workspaceId: string; personId: string; channel: string; source: string | null | undefined; text: string; response: string | null | undefined; asks: AnyJson | null | undefined; at: Date | string; requirement: string }; row: Record<never, never> }
export interface SelectReplyBySource { takes: [workspaceId: 'workspaceId', requirement: 'requirement', source: 'source']; parameters: { workspaceId: string; requirement: string; source: string }; row: { id: string } }
export interface SelectConversation { takes: [workspaceId: 'workspaceId', requirement: 'requirement']; parameters: { workspaceId: string; requirement: string }; row: { id: string; author: string; personId: string; channel: string; text: string; response: string | null; asks: boolean; outcome: 'done' | 'refused' | 'dismissed' | null; outcomeText: string | null; at: string } }
export interface SelectReply { takes: [workspaceId: 'workspaceId', id: 'id']; parameters: { workspaceId: string; id: string }; row: { id: string; requirement: string; personId: string; author: string; channel: string; text: string; response: string | null; asks: AnyJson | null; outcome: 'done' | 'refused' | 'dismissed' | null; outcomeText: string | null } }
export interface SettleReply { takes: [workspaceId: 'workspaceId', id: 'id', given2: ['outcome' | 'text' | 'at']]; parameters: { outcome: string; text: string; at: Date | string; workspaceId: string; id: string }; row: Record<never, never> }

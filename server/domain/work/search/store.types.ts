// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectFound { takes: [workspaceId: 'workspaceId', words: ['within' | 'beginning' | 'words' | 'isIndexed' | 'beginnings' | 'newest']]; parameters: { workspaceId: string; within: string; beginning: string; words: string; isIndexed: boolean; beginnings: string; newest: number }; row: { noun: string; key: string; title: string; note: string | null } }
export interface SelectTeams { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { noun: string; key: string; title: string; note: string } }

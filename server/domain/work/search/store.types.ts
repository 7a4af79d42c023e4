// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectFound { takes: [workspaceId: 'workspaceId', words: ['each' | 'beginning' | 'words' | 'isIndexed' | 'longest' | 'beginnings' | 'newest']]; parameters: { workspaceId: string; each: readonly (string | null)[]; beginning: string; words: string; isIndexed: boolean; longest: string; beginnings: string; newest: number }; row: { noun: string; key: string; title: string; note: string | null } }
export interface SelectTeams { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { noun: string; key: string; title: string; note: string } }

// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectFound { takes: [workspaceId: 'workspaceId', words: ['within' | 'beginning' | 'words']]; parameters: { workspaceId: string; within: string; beginning: string; words: string }; row: { noun: string; key: string; title: string; note: string | null } }
export interface SelectTeams { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { noun: string; key: string; title: string; note: string } }

// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectAllWorkspaces { takes: []; parameters: Record<never, never>; row: { id: string; slug: string; name: string } }
export interface SkipKeysOfAllWorkspaces { takes: [count: 'count']; parameters: { count: number }; row: Record<never, never> }
export interface SkipStoryNumbersOfAllWorkspaces { takes: [count: 'count']; parameters: { count: number }; row: Record<never, never> }
export interface SkipSequencesOfAllWorkspaces { takes: [count: 'count']; parameters: { count: number }; row: Record<never, never> }
export interface SkipRunnerSessionsOfAllWorkspaces { takes: [count: 'count']; parameters: { count: number }; row: { max: number | null } }
export interface OutdateOrdersOfAllWorkspaces { takes: [count: 'count']; parameters: { count: number }; row: Record<never, never> }
export interface DeleteSessionsOfAllPeople { takes: []; parameters: Record<never, never>; row: Record<never, never> }

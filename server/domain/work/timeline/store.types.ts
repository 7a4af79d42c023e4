// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface InsertSteps { parameters: { workspaceId: string; incidentId: string; rows: string }; row: Record<never, never> }
export interface Lock { parameters: { workspaceId: string; id: string }; row: Record<never, never> }
export interface Held { parameters: { workspaceId: string; id: string }; row: { key: string; title: string; status: 'open' | 'resolved'; team: string; lastStep: number; steps: string[] } }

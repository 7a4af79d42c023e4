// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectMemberEmail { takes: [workspaceId: 'workspaceId', personId: 'personId']; parameters: { workspaceId: string; personId: string }; row: { email: string } }
export interface SelectOtherWorkspaces { takes: [workspaceId: 'workspaceId', personId: 'personId']; parameters: { personId: string; workspaceId: string }; row: Record<never, never> }

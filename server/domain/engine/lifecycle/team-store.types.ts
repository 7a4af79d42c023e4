// Generated from team-store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectHolding { takes: [workspaceId: 'workspaceId', id: 'id']; parameters: { workspaceId: string; id: string }; row: { runs: string[]; services: string[] } }
export interface SelectRedTeamsOfAllWorkspaces { takes: [rows: 'rows']; parameters: { rows: number }; row: { workspaceId: string; slug: string } }
export interface SelectTeamOfStory { takes: [workspaceId: 'workspaceId', storyId: 'storyId']; parameters: { workspaceId: string; storyId: string }; row: { id: string; slug: string } }

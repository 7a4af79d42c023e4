// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectPlaces { takes: [workspaceId: 'workspaceId', team: 'team']; parameters: { workspaceId: string; team: string }; row: { id: string; tool: string; name: string } }
export interface InsertPlace { takes: [workspaceId: 'workspaceId', row: ['id' | 'teamId' | 'connectionId' | 'tool' | 'name' | 'address' | 'at']]; parameters: { id: string; workspaceId: string; teamId: string; connectionId: string; tool: string; name: string; address: string; at: Date | string }; row: Record<never, never> }
export interface DeletePlace { takes: [workspaceId: 'workspaceId', teamId: 'teamId', id: 'id']; parameters: { workspaceId: string; teamId: string; id: string }; row: { name: string } }
export interface SelectChannels { takes: [workspaceId: 'workspaceId', team: 'team']; parameters: { workspaceId: string; team: string }; row: { id: string; name: string; connection: string | null; connectionName: string | null } }
export interface SelectPlaceIn { takes: [workspaceId: 'workspaceId', where: ['team' | 'connection' | 'channel']]; parameters: { workspaceId: string; team: string; connection: string; channel: string }; row: { id: string } }
export interface SelectAllPlaces { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { id: string; team: string; connection: string; channel: string; name: string } }

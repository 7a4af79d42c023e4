// Generated from person-store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectChosen { takes: [personId: 'personId']; parameters: { personId: string }; row: { kind: 'decision' | 'incident' | 'run' | 'token' | 'webhook' | 'runner' | 'connection' | 'report' | 'suggestion'; inApp: boolean; byMail: boolean; byPush: boolean } }
export interface UpsertChoice { takes: [personId: 'personId', kind: 'kind', given2: ['inApp' | 'byMail' | 'byPush']]; parameters: { personId: string; kind: string; inApp: boolean; byMail: boolean; byPush: boolean }; row: Record<never, never> }
export interface SelectReportSettings { takes: [personId: 'personId']; parameters: { personId: string }; row: { hour: number; timeZone: string; byChat: boolean } }
export interface UpsertReportSettings { takes: [personId: 'personId', given1: ['hour' | 'timeZone' | 'byChat']]; parameters: { personId: string; hour: number; timeZone: string; byChat: boolean }; row: Record<never, never> }
export interface IsInChat { takes: [personId: 'personId']; parameters: { personId: string }; row: { isLinked: boolean } }
export interface SelectBrowsers { takes: [personId: 'personId']; parameters: { personId: string }; row: { id: string; endpoint: string; userAgent: string | null; createdAt: string } }
export interface UpsertBrowser { takes: [personId: 'personId', browser: ['endpoint' | 'id' | 'sessionId' | 'p256dh' | 'auth' | 'at']]; parameters: { endpoint: string; id: string; personId: string; sessionId: string; p256dh: string; auth: string; at: Date | string }; row: { isNew: boolean } }
export interface DeleteOldestBrowsers { takes: [personId: 'personId', most: 'most']; parameters: { personId: string; most: number }; row: Record<never, never> }
export interface DeleteBrowser { takes: [personId: 'personId', id: 'id']; parameters: { personId: string; id: string }; row: Record<never, never> }
export interface SelectBrowserByNotification { takes: [notification: 'notification', id: 'id', now: 'now']; parameters: { now: Date | string; notification: string; id: string }; row: { personId: string; endpoint: string; p256dh: string; auth: string } }

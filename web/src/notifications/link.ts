import type { Notification } from '@signalbox/contract/app/notifications.ts'
import { sourceOf } from '@signalbox/contract/notifications.ts'

/** Where the thing is that it is about. */
export function linkOf(ws: string, { kind, thing: key }: Pick<Notification, 'kind' | 'thing'>) {
  switch (kind) {
    case 'decision':
      return { to: '/$ws/decisions/$key', params: { ws, key } } as const
    case 'incident':
      return { to: '/$ws/incidents/$key', params: { ws, key } } as const
    case 'run':
      return { to: '/$ws/runs/$key', params: { ws, key } } as const
    case 'webhook':
      return { to: '/$ws/settings/webhooks/$webhook', params: { ws, webhook: key } } as const
    case 'connection': {
      const of = sourceOf(key)
      if (of === 'services') return { to: '/$ws/services', params: { ws } } as const
      if (of) return { to: '/$ws/services/$service/sources/$source', params: { ws, ...of } } as const
      return { to: '/$ws/settings/connections/$connection', params: { ws, connection: key } } as const
    }
    case 'runner':
      return { to: '/$ws/settings/runners', params: { ws } } as const
    case 'report':
      return { to: '/$ws/report/$morning', params: { ws, morning: key } } as const
    case 'suggestion':
      return { to: '/$ws/teams/$team/settings/policy', params: { ws, team: key } } as const
    case 'token':
      // What tokens may do is a setting of the workspace itself.
      return key === ws
        ? ({ to: '/$ws/settings/general', params: { ws } } as const)
        : ({ to: '/$ws/settings/api', params: { ws } } as const)
  }
}

import type { Notification } from '@signalbox/contract/app/notifications.ts'
import { sourceOf } from '@signalbox/contract/notifications.ts'

/** Where in the app the thing is. */
export function pathOf(workspace: string, { kind, thing }: Pick<Notification, 'kind' | 'thing'>): string {
  // What tokens may do is a setting of the workspace itself.
  if (kind === 'token') return `/${workspace}/settings/${thing === workspace ? 'general' : 'api'}`
  if (kind === 'webhook') return `/${workspace}/settings/webhooks/${thing}`
  if (kind === 'connection')
    return sourceOf(thing) ? `/${workspace}/${thing}` : `/${workspace}/settings/connections/${thing}`
  if (kind === 'runner') return `/${workspace}/settings/runners`
  if (kind === 'report') return `/${workspace}/report/${thing}`
  if (kind === 'suggestion') return `/${workspace}/teams/${thing}/settings/policy`
  return `/${workspace}/${kind}s/${thing}`
}

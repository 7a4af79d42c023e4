import type { Notification } from '@signalbox/contract/app/notifications.ts'

/** Where in the app the thing is. */
export const pathOf = (workspace: string, { kind, thing }: Pick<Notification, 'kind' | 'thing'>): string =>
  kind === 'token' ? `/${workspace}/settings/api` : `/${workspace}/${kind}s/${thing}`

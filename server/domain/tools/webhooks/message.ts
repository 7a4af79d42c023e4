import { dictionary } from '@signalbox/contract/dictionary.ts'
import { type WebhookMessage, type WebhookType, webhookApiVersion } from '@signalbox/contract/webhooks.ts'

export interface StoredMessage {
  eventId: string
  type: WebhookType
  occurredAt: Date
  /** JSON of what is said of the object, without where it is shown. */
  data: string
  sequence: number
  /** Slug. */
  workspace: string
}

/** `webhook-id`: the same for every attempt and every endpoint. */
export const messageId = (eventId: string): string => `msg_${eventId.replaceAll('-', '')}`

/** What is sent. Nothing in it depends on when it is sent. */
export function bodyOf(message: StoredMessage, publicUrl: string): string {
  const { type, occurredAt, workspace, sequence } = message
  const data = JSON.parse(message.data) as { key: string }
  const body: Omit<WebhookMessage, 'data'> & { data: object } = {
    type,
    timestamp: occurredAt.toISOString(),
    apiVersion: webhookApiVersion,
    workspace,
    data: { ...data, url: `${publicUrl}/${workspace}/${pathOf(type, data.key)}`, sequence },
  }
  return JSON.stringify(body)
}

/** Where in the app an object is, by the first word of its events. */
const paths: Record<string, (key: string) => string> = dictionary({
  decision: (key) => `decisions/${key}`,
  run: (key) => `runs/${key}`,
  story: (key) => `stories/${key}`,
  incident: (key) => `incidents/${key}`,
  team: (key) => `teams/${key}/board`,
  policy: (key) => `teams/${key}/settings/policy`,
  requirement: (key) => `intake/${key}`,
  endpoint: (key) => `settings/webhooks/${key}`,
})

const pathOf = (type: WebhookType, key: string): string =>
  paths[type.split('.')[0]!]!(encodeURIComponent(key))

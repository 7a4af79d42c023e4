import { Type } from 'typebox'
import { teamSlug } from '../keys.ts'
import { maxNameLength, maxWebhookUrlLength } from '../limits.ts'
import { nullable, type Of, oneOf } from '../shapes.ts'
import { type WebhookEvent, webhookEvents } from '../webhook-events.ts'

const events = Object.keys(webhookEvents) as WebhookEvent[]

/** Where events are sent. */
export const ManagedWebhook = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: maxWebhookUrlLength }),
    description: Type.Optional(Type.String({ maxLength: maxNameLength })),
    events: Type.Array(oneOf(events), { minItems: 1, maxItems: events.length }),
    teams: Type.Optional(
      nullable(Type.Array(teamSlug, { maxItems: 200, description: 'by slug; null: all of them' })),
    ),
  },
  { $id: 'Webhook', additionalProperties: false },
)
export type ManagedWebhook = Of<typeof ManagedWebhook>

import type { Calling } from '../domain/tools/webhooks/call.ts'
import { type Webhooks, webhooksFace } from '../faces/worker/webhooks.ts'
import { httpWebhooks } from '../integrations/webhooks/http.ts'
import type { Admission } from './admission.ts'
import type { Engine } from './engine.ts'
import type { Http } from './http.ts'
import type { Base, Part } from './parts.ts'

export interface WebhooksPart extends Part {
  calling: Calling
  webhooks: Webhooks
}

/** How endpoints are called, and who sends them what is due. */
export function startWebhooks(
  { config, clock, log, storage: { db, secrets } }: Base,
  { publicUrl }: Http,
  { node }: Admission,
  { queue }: Engine,
): WebhooksPart {
  const calling = { sender: httpWebhooks({ allow: config.webhookAllow }), secrets, publicUrl }
  const webhooks = webhooksFace({ db, clock, queue, calling, node: node.id, log })
  return { calling, webhooks, stop: () => webhooks.stop() }
}

import type { Anchor } from '../domain/ports/anchor.ts'
import { type AnchorServices, sendCheckpoints } from '../domain/record/anchors/send-checkpoints.ts'
import { every } from '../infra/every.ts'
import { emailAnchor } from '../integrations/anchors/email.ts'
import { folderAnchor } from '../integrations/anchors/folder.ts'
import { httpTimestampAuthority } from '../integrations/anchors/timestamp-authority.ts'
import { webhookAnchor } from '../integrations/anchors/webhook.ts'
import { smtpMailer } from '../integrations/mail/smtp.ts'
import { httpWebhooks } from '../integrations/webhooks/http.ts'
import type { Config } from './config.ts'
import { onOneNode } from './on-one-node.ts'
import type { Base, Part } from './parts.ts'

const lookEveryMs = 30_000
/** Held by the node that sends, for as long as it does. */
const anchorLock = 4422

/** Sends signed checkpoints to where the settings say. It has its own pace: sealing does not wait for it. */
export function startAnchors(base: Omit<Base, 'metrics'>): Part {
  if (anchorTargets(base.config).length === 0) return { stop: () => {} }
  const stopping = new AbortController()
  const loop = every(lookEveryMs, 'send checkpoints elsewhere', base.log, () =>
    anchorCheckpoints(base, stopping.signal),
  )
  return {
    stop() {
      stopping.abort(new Error('The server is stopping.'))
      return loop.stop()
    },
  }
}

/** Where checkpoints are sent, by the names that are used for it. */
export const anchorTargets = ({ anchors: { folder, webhook, email, timestamps } }: Config): string[] =>
  Object.entries({ folder, webhook, email, timestamp: timestamps }).flatMap(([target, set]) =>
    set === null ? [] : [target],
  )

export async function anchorCheckpoints(
  { config, clock, log, storage: { db, direct } }: Omit<Base, 'metrics'>,
  signal: AbortSignal,
): Promise<void> {
  const { timestamps, everyMs } = config.anchors
  const services: AnchorServices = {
    ...{ db, clock, everyMs, signal, anchors: anchorsOf(config) },
    authority: timestamps === null ? null : httpTimestampAuthority(timestamps),
    onFailure: (target, error) =>
      log.warn({ err: error, target }, 'checkpoints could not be sent elsewhere; trying again'),
  }
  await onOneNode(direct, { lock: anchorLock, name: 'checkpoints' }, () => sendCheckpoints(services))
}

function anchorsOf({ anchors: { folder, webhook, email }, mail }: Config): AnchorServices['anchors'] {
  const found: Partial<Record<'folder' | 'webhook' | 'email', Anchor>> = {}
  if (folder !== null) found.folder = folderAnchor(folder)
  if (webhook) {
    // The operator has named it, so it may be inside.
    const sender = httpWebhooks({ allow: [new URL(webhook.url).hostname] })
    found.webhook = webhookAnchor(sender, webhook)
  }
  if (email !== null && mail) found.email = emailAnchor(smtpMailer(mail), email)
  return found
}

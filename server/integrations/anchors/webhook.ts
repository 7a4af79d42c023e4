import { createHash } from 'node:crypto'
import type { Anchor, SentCheckpoint } from '../../domain/ports/anchor.ts'
import type { WebhookSender } from '../../domain/ports/webhook-sender.ts'

/** A webhook, signed as all of them are, with the newest checkpoint of each log that has a new one. */
export function webhookAnchor(
  sender: WebhookSender,
  { url, secret }: { url: string; secret: string },
): Anchor {
  return {
    async send(checkpoints, at, signal) {
      const body = JSON.stringify({
        type: 'audit.checkpoints',
        timestamp: at.toISOString(),
        data: { checkpoints: checkpoints.map(shown) },
      })
      const call = { url, id: idOf(checkpoints), body, secrets: [secret], at, signal }
      const { status, problem } = await sender.send(call)
      if (status === null) throw new Error(problem ?? 'There was no answer.')
      if (status < 200 || status >= 300) throw new Error(`The receiver answered with status ${status}.`)
    },
  }
}

/** The same for the same checkpoints, so that a receiver knows what it has had. */
const idOf = (checkpoints: readonly SentCheckpoint[]): string => {
  const hash = createHash('sha256')
  for (const { note } of checkpoints) hash.update(note)
  return `checkpoints_${hash.digest('hex').slice(0, 32)}`
}

const shown = ({ workspace, workspaceId, size, note, sealedAt, timestamp }: SentCheckpoint) => ({
  ...{ workspace, workspaceId, entries: size, sealedAt: sealedAt.toISOString(), note },
  timestamp: timestamp?.toString('base64') ?? null,
})

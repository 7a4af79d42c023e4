import type { AuditBatch, AuditSink } from '../../domain/ports/audit-sink.ts'
import type { WebhookSender } from '../../domain/ports/webhook-sender.ts'

/** Sends entries as a webhook, many in one message, signed as all webhooks are. */
export function webhookSink(
  sender: WebhookSender,
  { url, secret }: { url: string; secret: string },
): AuditSink {
  return {
    async send(batch, signal) {
      const at = new Date()
      const call = { url, id: idOf(batch), body: bodyOf(batch, at), secrets: [secret], at, signal }
      const { status, problem } = await sender.send(call)
      if (status === null) throw new Error(problem ?? 'There was no answer.')
      if (status < 200 || status >= 300) throw new Error(`The receiver answered with status ${status}.`)
    },
  }
}

/** The same for the same entries, so that a receiver knows what it has had. */
const idOf = ({ workspaceId, entries }: AuditBatch) =>
  `audit_${workspaceId}_${entries[0]!.position}_${entries.at(-1)!.position}`

/** The entries go as the log has them, byte by byte. */
const bodyOf = ({ workspace, entries }: AuditBatch, at: Date) =>
  `{"type":"audit.entries","timestamp":${JSON.stringify(at.toISOString())},"data":{"workspace":${JSON.stringify(workspace)},"first":${entries[0]!.position},"entries":[${entries.map(({ json }) => json).join(',')}]}}`

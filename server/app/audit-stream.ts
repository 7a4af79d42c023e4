import type { AuditSink } from '../domain/ports/audit-sink.ts'
import { leaveStream, sendNextEntries } from '../domain/record/streams/send-next.ts'
import { every } from '../infra/every.ts'
import { newId } from '../infra/ids.ts'
import { syslogSink } from '../integrations/audit-stream/syslog.ts'
import { webhookSink } from '../integrations/audit-stream/webhook.ts'
import { httpWebhooks } from '../integrations/webhooks/http.ts'
import type { AuditStreamSettings } from './config.ts'
import type { Base, Part } from './parts.ts'

const lookEveryMs = 1_000
const longestPauseMs = 300_000

/** Sends the audit log to where AUDIT_STREAM says. What fails is tried again, after longer and longer pauses. */
export function startAuditStream({ config, clock, log, storage: { db } }: Omit<Base, 'metrics'>): Part {
  if (!config.auditStream) return { stop: () => {} }
  const stopping = new AbortController()
  const { signal } = stopping
  const services = { db, clock, sink: sinkOf(config.auditStream), node: newId(clock.now()), signal }
  let pauseMs = 0
  let notBefore = 0
  const loop = every(lookEveryMs, 'stream the audit log', log, async () => {
    if (performance.now() < notBefore) return
    try {
      while (await sendNextEntries(services));
      pauseMs = 0
    } catch (error) {
      if (signal.aborted) return
      pauseMs = Math.min(Math.max(pauseMs * 2, lookEveryMs), longestPauseMs)
      notBefore = performance.now() + pauseMs
      log.warn({ err: error, retryInMs: pauseMs }, 'the audit log could not be sent')
    }
  })
  return {
    async stop() {
      stopping.abort(new Error('The server is stopping.'))
      await loop.stop()
      await leaveStream(services).catch((error) =>
        log.warn({ err: error }, 'the audit log could not be left to another node; it waits for the lease'),
      )
    },
  }
}

function sinkOf(settings: AuditStreamSettings): AuditSink {
  if (settings.kind === 'syslog') return syslogSink(settings)
  // The operator has named it, so it may be inside.
  return webhookSink(httpWebhooks({ allow: [new URL(settings.url).hostname] }), settings)
}

import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { connect, type TLSSocket } from 'node:tls'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { AuditBatch, AuditSink } from '../../domain/ports/audit-sink.ts'

export interface SyslogSettings {
  host: string
  port: number
  /** The certificate authority of the receiver, as PEM; null: those that Node knows. */
  ca: string | null
}

/** "Log audit" of RFC 5424. */
const facility = 13
const severities = { success: 6, failure: 4, denied: 4 } as const

/**
 * Syslog over TLS (RFC 5424, RFC 5425). It has no receipts: what a connection has carried is known to be received only
 * once both sides have closed it in order, which a receiver must do. So each batch has a connection of its own.
 */
export const syslogSink = ({ host, port, ca }: SyslogSettings): AuditSink => ({
  send: (batch, signal) =>
    new Promise<void>((resolve, reject) => {
      signal.throwIfAborted()
      const socket: TLSSocket = connect({
        ...{ host, port },
        // An address is not a name; the certificate is held against the host either way.
        ...(isIP(host) ? {} : { servername: host }),
        ...(ca ? { ca } : {}),
      })
      const give = () => socket.destroy(signal.reason as Error)
      let hasEnded = false
      socket.once('secureConnect', () => socket.end(framesOf(batch)))
      socket.once('end', () => {
        hasEnded = socket.writableFinished
      })
      socket.once('error', reject)
      socket.once('close', () => {
        signal.removeEventListener('abort', give)
        if (hasEnded) resolve()
        else reject(new Error('The receiver closed the connection before it had received everything.'))
      })
      signal.addEventListener('abort', give, { once: true })
      // What it sends is nothing that we need; unread, it would keep the end from being seen.
      socket.resume()
    }),
})

/** Octet counting: the length in bytes, a space, the message. */
const framesOf = (batch: AuditBatch): string =>
  batch.entries
    .map((entry) => messageOf(batch.workspace, entry))
    .map((message) => `${Buffer.byteLength(message)} ${message}`)
    .join('')

function messageOf(workspace: string, { position, json }: AuditBatch['entries'][number]): string {
  const { timestamp, event, result } = JSON.parse(json) as AuditEntry
  const priority = facility * 8 + (severities[result] ?? 6)
  const from =
    hostname()
      .replaceAll(/[^!-~]/g, '')
      .slice(0, 255) || '-'
  const content = `{"workspace":${JSON.stringify(workspace)},"position":${position},"entry":${json}}`
  return `<${priority}>1 ${timestamp} ${from} signalbox - ${event.slice(0, 32)} - ${content}`
}

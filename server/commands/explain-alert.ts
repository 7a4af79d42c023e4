import type { Asked } from '@signalbox/contract/command-line.ts'
import type { SenderKind } from '@signalbox/contract/signal.ts'
import { senders } from '../domain/on-call/senders/index.ts'
import type { Delivered, Reading } from '../domain/on-call/senders/reading/reading.ts'
import { isReadable, maxBodyBytes, statusFor } from '../domain/on-call/signals/acceptance.ts'
import type { explainAlertLine } from './command-lines.ts'
import { headersFrom, kindFrom } from './delivery-arguments.ts'
import { printJson } from './print.ts'
import { readNamed } from './read-named.ts'

/** Needs neither a database nor a secret. */
export async function run({ values, positionals }: Asked<typeof explainAlertLine>): Promise<void> {
  const [file] = positionals
  const body = file === '-' ? await readInput() : await readNamed(file!)
  const headers = headersFrom(values.header ?? [])!
  printJson(explain(kindFrom(values.kind!)!, { body, headers, query: {} }), 2)
}

async function readInput(): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of process.stdin) {
    parts.push(part)
    bytes += part.length
    if (bytes > maxBodyBytes) break
  }
  return Buffer.concat(parts)
}

function explain(kind: SenderKind, delivered: Delivered) {
  const contentType = delivered.headers['content-type'] as string | undefined
  if (delivered.body.length > maxBodyBytes)
    return explained(413, { problem: `The body is larger than ${maxBodyBytes.toLocaleString('en')} bytes.` })
  if (!isReadable(senders[kind], contentType))
    return explained(415, { problem: `The body is ${contentType}, not JSON. Send it as application/json.` })
  const reading = senders[kind].format(delivered)
  // Alerts are explained as if they were proven. A tool's own requests are only carried out for that tool, so there a
  // signature that is missing from the body decides.
  const unsigned = reading.handshake ? senders[kind].proving.alone?.unsigned(delivered.body) : null
  if (unsigned) return explained(401, { problem: unsigned })
  return explained(statusFor(senders[kind], reading), reading)
}

const explained = (
  http: number,
  { test = false, problem = null, deliveryId = null, alerts = [] }: Partial<Reading>,
) => ({
  http,
  test,
  problem,
  /** Another delivery with the same is taken for this one, sent again. */
  identity: deliveryId,
  alerts: alerts.map((alert) => ({
    title: alert.title,
    status: alert.status,
    severity: alert.severity,
    fingerprint: alert.fingerprint,
    service: alert.service,
    environment: alert.environment,
    startedAt: alert.startedAt,
    endedAt: alert.endedAt,
    updateOnly: alert.updateOnly,
    labels: alert.labels,
    links: alert.links,
    cuts: alert.cuts,
  })),
})

import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type SenderKind, senderKinds } from '@signalbox/contract/signal.ts'
import { visible } from '@signalbox/contract/visible.ts'
import { senders } from '../domain/senders/index.ts'
import type { Delivered, Reading } from '../domain/senders/reading/reading.ts'
import { isReadable, maxBodyBytes, statusFor } from '../domain/signals/acceptance.ts'
import { printJson } from './print.ts'

const usage = `Usage: npm run -s signalbox -- explain-alert --kind KIND [--header 'Name: value']... FILE

Prints what the alert intake would make of a delivery whose proof is right. FILE holds its body; - reads it from
standard input. KIND is one of ${senderKinds.join(', ')}.
`

/** Needs neither a database nor a secret. */
export async function run(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage)
    return
  }
  const request = parseRequest(args)
  if ('mistake' in request) return refuse(`${request.mistake}\n\n${usage}`)
  const body = request.file === '-' ? await readInput() : await readBody(request.file)
  if (typeof body === 'string') return refuse(`${body}\n`)
  const explained = explain(request.kind, { body, headers: request.headers, query: {} })
  printJson(explained, 2)
}

function refuse(text: string): void {
  process.stderr.write(visible(text))
  process.exitCode = 2
}

/** A sentence where it cannot be read. */
async function readBody(file: string): Promise<Buffer | string> {
  try {
    return await readFile(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EISDIR') return `${file} is a folder. Name a file that holds a body.`
    return code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${message}.`
  }
}

interface Request {
  kind: SenderKind
  headers: Record<string, string>
  file: string
}

function parseRequest(args: string[]): Request | { mistake: string } {
  const options = { kind: { type: 'string' }, header: { type: 'string', multiple: true } } as const
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const kind = kindFrom(values.kind ?? '')
    const headers = headersFrom(values.header ?? [])
    if (values.kind === undefined) return { mistake: '--kind is missing.' }
    if (kind === null) return { mistake: `There is no kind "${values.kind}".` }
    if (headers === null)
      return { mistake: "--header takes a name and a value, like 'Content-Type: application/json'." }
    if (positionals.length !== 1) return { mistake: 'Name one file, or - for standard input.' }
    return { kind, headers, file: positionals[0]! }
  } catch (error) {
    return { mistake: (error as Error).message }
  }
}

/** `azure-monitor` is `azure_monitor`, and alarms come through SNS. */
function kindFrom(word: string): SenderKind | null {
  const name = word
    .trim()
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^cloudwatch_sns$/, 'cloudwatch')
  return senderKinds.find((kind) => kind === name || kind.replaceAll('_', '') === name) ?? null
}

function headersFrom(lines: readonly string[]): Record<string, string> | null {
  const headers: Record<string, string> = {}
  for (const text of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/s.exec(text) ?? []
    if (name === undefined || value === undefined) return null
    headers[name.toLowerCase()] = value.trim()
  }
  return headers
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

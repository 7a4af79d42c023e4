import {
  type Answer,
  type Asked,
  type CommandLine,
  exitCodes,
  readArguments,
  usageErrorAnswer,
  usualOptions,
} from '@signalbox/contract/command-line.ts'
import { type SenderKind, type Severity, senderKinds, severities } from '@signalbox/contract/signal.ts'
import { visible } from '@signalbox/contract/visible.ts'
import { version } from '../server/app/version.ts'
import { senders } from '../server/domain/on-call/senders/index.ts'
import type { SampleAlert } from '../server/domain/on-call/senders/sender/sample.ts'

/** Plays an alerting tool: signs an alert as that tool does, sends it, and prints what came back. */

const usage = `Usage: npm run send-alert -- --kind KIND --url URL --secret SECRET
  --kind      ${senderKinds.join(', ')}
  --url       the intake address of a source
  --secret    its secret
  --title     what the alert is about
  --severity  ${severities.join(', ')}
  --status    firing (default) or resolved; the same title and service recover
  --service   whose alert it is
  --count     how many alerts, one after the other; each has a title of its own
  --unsigned  leaves the proof out, to see the refusal
${usualOptions}`

interface Options {
  kind: SenderKind
  url: URL
  secret: string
  alerts: SampleAlert[]
  unsigned: boolean
}

/** Of options that are each understood. */
class Misused extends Error {}

const line = {
  usage,
  options: {
    kind: { type: 'string', default: 'generic' },
    url: { type: 'string' },
    secret: { type: 'string' },
    title: { type: 'string', default: 'Checkout answers with errors' },
    severity: { type: 'string', default: 'high' },
    status: { type: 'string', default: 'firing' },
    service: { type: 'string', default: 'checkout' },
    count: { type: 'string', default: '1' },
    unsigned: { type: 'boolean', default: false },
  },
} as const satisfies CommandLine

function optionsFrom(values: Asked<typeof line>['values']): Options {
  const kind = oneOf('--kind', values.kind, senderKinds)
  const { alone } = senders[kind].proving
  if (alone && !values.unsigned)
    throw new Misused(
      `Only ${alone.name} can sign a message of the kind ${kind}, so none can be made here. Add --unsigned to see it refused with 401; to see it accepted, ${alone.remedy}.`,
    )
  const url = URL.parse(values.url ?? '')
  if (url === null) throw new Misused('--url must be a URL.')
  if (!values.secret && !values.unsigned) throw new Misused('--secret is missing.')
  const count = Number(values.count)
  if (!Number.isInteger(count) || count < 1) throw new Misused('--count must be a whole number, 1 or more.')
  const alert = {
    severity: oneOf<Severity>('--severity', values.severity, severities),
    status: oneOf('--status', values.status, ['firing', 'resolved'] as const),
    service: values.service,
    at: new Date(),
  }
  const alerts = Array.from({ length: count }, (_, index) => ({
    ...alert,
    ...titled(count === 1 ? values.title : `${values.title} (${index + 1})`),
  }))
  return { kind, url, secret: values.secret ?? '', alerts, unsigned: values.unsigned }
}

const titled = (title: string) => ({ title, description: `${title}, as seen by send-alert.` })

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw new Misused(`${option} must be one of ${allowed.join(', ')}.`)
  return found
}

async function send({ kind, url, secret, unsigned }: Options, alert: SampleAlert): Promise<Response> {
  const { sample, proving } = senders[kind]
  const made = sample(alert)
  const body = `${JSON.stringify(made.body)}\n`
  const to = new URL(url)
  const headers = new Headers({ 'content-type': 'application/json', ...made.headers })
  // Where only the tool can sign, what else there is goes along even unsigned: the signature is what is missing there.
  if (!unsigned || (proving.alone && secret !== '')) {
    const proof = proving.sign({ body, secret, settings: {}, at: alert.at })
    for (const [name, value] of Object.entries(proof.headers ?? {})) headers.set(name, value)
    for (const [name, value] of Object.entries(proof.query ?? {})) to.searchParams.set(name, value)
  }
  return await fetch(to, { method: 'POST', headers, body, redirect: 'manual' })
}

/** Gives the exit code: 0 accepted, 1 refused or not sent, 2 misused. With --json it prints one value, at the end. */
export async function sendAlert(
  args: string[],
  say: (text: string) => void,
  complain: (text: string) => void = say,
): Promise<number> {
  const read = readArguments(args, line, version)
  if ('answer' in read) return answered(read.answer)
  const { json } = read.values
  const answers: { status: number; body: string }[] = []
  try {
    const options = optionsFrom(read.values)
    for (const alert of options.alerts) {
      const response = await send(options, alert)
      const body = await response.text()
      answers.push({ status: response.status, body })
      if (!json) say(`${response.status} ${response.statusText}\n${body}\n`)
    }
    const accepted = answers.every(({ status }) => status >= 200 && status < 300)
    if (json) say(`${JSON.stringify({ accepted, answers })}\n`)
    return accepted ? exitCodes.done : exitCodes.failed
  } catch (error) {
    const { message, cause } = error as Error
    if (error instanceof Misused) return answered(usageErrorAnswer(line, message))
    const why = `The alert could not be sent: ${cause instanceof Error ? `${message}: ${cause.message}` : message}`
    return answered({ exitCode: exitCodes.failed, stdout: '', stderr: `${why}\n` })
  }

  function answered({ exitCode, stdout, stderr }: Answer): number {
    if (stdout) say(stdout)
    if (stderr) complain(visible(stderr))
    return exitCode
  }
}

if (import.meta.main)
  process.exitCode = await sendAlert(
    process.argv.slice(2),
    (text) => process.stdout.write(text),
    (text) => process.stderr.write(text),
  )

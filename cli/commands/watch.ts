import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Decision, RunListed } from '@signalbox/client'
import { ApiError, ConnectionError } from '@signalbox/client'
import { type Asked, exitCodes } from '@signalbox/contract/command-line.ts'
import { CommandError } from '../command-error.ts'
import type { watchLine } from '../command-lines.ts'
import { connect } from '../connect.ts'
import { kindOfKey } from '../kind-of-key.ts'
import { colour, statusColour } from '../terminal/colour.ts'
import { note, oneLine, print, printJson } from '../terminal/print.ts'

/** One thing that has moved. */
interface Moved {
  at: string
  key: string
  status: string
  text: string
}
type Tell = (moved: Moved) => void

export async function run({ values, positionals: [key] }: Asked<typeof watchLine>): Promise<void> {
  if (key !== undefined && kindOfKey(key) !== 'run')
    throw new CommandError(`${key} is not a run. Runs look like run-7k2q.`, 'usage')
  const client = await connect()
  const tell: Tell = values.json ? printJson : show
  const pause = () => sleep(Number(values.every ?? '5') * 1_000)
  return key === undefined ? watchAll(client, tell, pause) : watchRun(client, key, tell, pause)
}

function show({ at, key, status, text }: Moved): void {
  const time = new Date(at).toLocaleTimeString(undefined, { hour12: false })
  print(`${colour('gray', time)}  ${key}  ${colour(statusColour(status), status)}  ${oneLine(text)}`)
}

async function watchRun(client: Client, key: string, tell: Tell, pause: () => Promise<void>): Promise<void> {
  let before = ''
  // What is asked first must be there; later the server may be away for a while.
  let found = await client.readRun({ run: key })
  for (;;) {
    const asks = found.decisions.filter(({ status }) => status === 'pending').map((one) => one.key)
    const now = `${found.status} ${found.stage} ${found.attempts} ${asks}`
    if (now !== before) tell(moveOf(found, asks.length > 0 ? `, asks ${asks.join(', ')}` : ''))
    before = now
    if (found.completedAt !== null && /^(succeeded|failed|timed_out|stopped)$/.test(found.status)) break
    await pause()
    found = await patiently(() => client.readRun({ run: key }), pause)
  }
  if (found.status !== 'succeeded') process.exitCode = exitCodes.failed
}

async function watchAll(client: Client, tell: Tell, pause: () => Promise<void>): Promise<never> {
  const read = async () => ({
    decisions: await client.listDecisions({ status: 'pending', limit: 100 }).all(),
    runs: (await client.listRuns({ limit: 100 }).page()).data,
  })
  let before = await read()
  note(`${before.decisions.length} decisions are waiting. Watching; stop with Ctrl-C.`)
  for (;;) {
    await pause()
    const now = await patiently(read, pause)
    for (const decision of raised(before.decisions, now.decisions)) tell(decisionMove(decision))
    for (const { key } of raised(now.decisions, before.decisions))
      tell(decisionMove(await patiently(() => client.readDecision({ decision: key }), pause)))
    for (const run of moved(before.runs, now.runs)) tell(moveOf(run))
    before = now
  }
}

/** Those of `after` that are not in `before`, the oldest first. */
const raised = (before: Decision[], after: Decision[]): Decision[] => {
  const known = new Set(before.map(({ key }) => key))
  return after.filter(({ key }) => !known.has(key)).reverse()
}

const moved = (before: RunListed[], after: RunListed[]): RunListed[] => {
  const known = new Map(before.map((run) => [run.key, positionOf(run)]))
  return after.filter((run) => known.get(run.key) !== positionOf(run)).reverse()
}
const positionOf = ({ status, stage, attempts }: RunListed) => `${status} ${stage} ${attempts}`

const decisionMove = ({ key, status, title, createdAt, resolvedAt }: Decision): Moved => ({
  ...{ key, status, text: title },
  at: status === 'pending' ? createdAt : (resolvedAt ?? new Date().toISOString()),
})

const moveOf = ({ key, status, stage, story }: RunListed, more = ''): Moved => ({
  ...{ key, status, at: new Date().toISOString() },
  text: `${stage}: ${story.key} ${story.title}${more}`,
})

/** A server that is away or busy for a while is asked again; what it refuses is told. */
async function patiently<T>(read: () => Promise<T>, pause: () => Promise<void>): Promise<T> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await read()
    } catch (error) {
      const isPassing = error instanceof ConnectionError || (error instanceof ApiError && error.status >= 429)
      if (!isPassing) throw error
      if (isFirst) note(`${error.message} Trying again.`)
      await pause()
    }
  }
}

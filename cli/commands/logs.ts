import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, ConnectionError } from '@signalbox/client'
import type { LogPiece } from '@signalbox/contract/app/runs.ts'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { visible } from '@signalbox/contract/visible.ts'
import { currentAccount } from '../accounts.ts'
import { type App, appClientOf } from '../app.ts'
import { CommandError } from '../command-error.ts'
import type { logsLine } from '../command-lines.ts'
import { eventsOf } from '../event-stream.ts'
import { kindOfKey } from '../kind-of-key.ts'
import { note, print, printJson } from '../terminal/print.ts'

const againMs = 2_000

export async function run({ values, positionals }: Asked<typeof logsLine>): Promise<void> {
  const key = positionals[0]!
  if (kindOfKey(key) !== 'run')
    throw new CommandError(`${key} is not a run. Runs look like run-7k2q.`, 'usage')
  const app = appClientOf(await currentAccount())
  if (values.follow) return follow(app, key, values.json ?? false)
  const response = await app.stream(`runs/${key}/log.txt`)
  if (values.json) {
    const text = await response.text()
    return printJson({ run: key, lines: text === '' ? [] : text.replace(/\n$/, '').split('\n') })
  }
  for await (const line of linesOf(response.body!)) print(visible(line))
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    yield* lines
  }
  if (rest !== '') yield rest
}

/** Until the run is over. A server that restarts in between is asked for what comes after the last line. */
async function follow(app: App, key: string, json: boolean): Promise<void> {
  let after = 0
  for (let isFirst = true; ; isFirst = false) {
    try {
      const { body } = await app.stream(`runs/${key}/log?after=${after}`)
      for await (const { event, data } of eventsOf(body!)) {
        if (event === 'end') return
        if (event !== 'lines') continue
        const piece = JSON.parse(data) as LogPiece
        show(piece, json)
        after = piece.from + piece.lines.length - 1
      }
    } catch (error) {
      if (isFirst || !isPassing(error)) throw error
      note('The server cannot be reached. Trying again.')
    }
    await sleep(againMs)
  }
}

/** While its database fails over, a server that is there says 503, as does what is in front of one that is not. */
const isPassing = (error: unknown) =>
  error instanceof ApiError
    ? error.status === 429 || error.status >= 500
    : // An answer that breaks off is a TypeError of fetch's.
      error instanceof ConnectionError || error instanceof TypeError

function show({ from, attempt, at, lines }: LogPiece, json: boolean): void {
  for (const [index, text] of lines.entries())
    if (json) printJson({ position: from + index, attempt, at, text })
    else print(visible(text))
}

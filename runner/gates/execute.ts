import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import type { Box, Limits } from '../box/box.ts'
import { KeptOutput } from './kept-output.ts'

/** Folders that one command has for itself. */
export interface Place {
  home: string
  /** Where it may leave something; null: nowhere. */
  out: string | null
}

/** Where commands of a project run. */
export interface Room {
  box: Box
  /**
   * A fresh place for each command, removed afterwards: what one command leaves in its home is no part of how the next
   * is measured. `prepared` is the home of the set-up, of which the packages that it fetched come along, and nothing
   * else.
   */
  inPlace<T>(prepared: string | null, use: (place: Place) => Promise<T>): Promise<T>
  /** What holds for everything that runs in that worktree. Network and model are decided here, per command. */
  limits: (worktree: string, place: Place) => Limits
  /** Is told what a gate took: from then, in milliseconds since 1970, until now. */
  took?: (gate: string, from: number, failed: boolean) => void
  /** Is told each line as it is printed. */
  onLine?: (line: string) => void
  cancelled?: AbortSignal
}

export interface Command {
  /** A line for `sh`. */
  run: string
  folder: string
  timeoutSeconds: number
  network: 'none' | 'registries'
}

export interface Execution {
  /** Null: it was ended by a signal. */
  code: number | null
  /** How it was ended before it was done on its own; null: it was not. */
  stopped: 'timeout' | 'cancelled' | 'overdrawn' | null
  /** Why, where it took more than it may. */
  overdrawn?: string
  seconds: number
  /** Everything printed, cut in the middle. */
  output: string
  /** What went to standard output, from its start. */
  printed: string
}

/** No interpreter begins with what lies in a home, or with what a variable names. */
const startsPlainly = { PYTHONNOUSERSITE: '1', PYTHONDONTWRITEBYTECODE: '1', NODE_OPTIONS: '' }

const mostPrinted = 16 * 1024 * 1024
const graceMs = 2_000

const closed = (stream: Readable) => finished(stream, { writable: false }).catch(() => {})

/** Runs one line in the box and waits until nothing of it is left. */
export async function execute(
  room: Room,
  worktree: string,
  place: Place,
  command: Command,
): Promise<Execution> {
  const began = performance.now()
  const { proxy, ...limits } = room.limits(worktree, place)
  let stopped: Execution['stopped'] = null
  let overdrawn: string | undefined
  const boxed = room.box.start(['sh', '-c', 'cd "./$0" && exec sh -c "$1"', command.folder, command.run], {
    ...limits,
    gateway: null,
    network: command.network,
    ...(command.network === 'registries' && proxy ? { proxy } : {}),
    environment: { ...limits.environment, ...startsPlainly, CI: 'true', NO_COLOR: '1' },
    overdrawn: (reason) => {
      overdrawn = reason
      stopped ??= 'overdrawn'
    },
  })
  boxed.stdin.end()

  const stop = (why: 'timeout' | 'cancelled') => {
    stopped ??= why
    boxed.end(graceMs).catch(() => {})
  }
  const timer = setTimeout(() => stop('timeout'), command.timeoutSeconds * 1_000)
  const cancel = () => stop('cancelled')
  room.cancelled?.addEventListener('abort', cancel)
  if (room.cancelled?.aborted) cancel()

  const kept = new KeptOutput()
  let printed = ''
  const listen = (stream: Readable, isOutput: boolean) => {
    const decoder = new StringDecoder('utf8')
    let line = ''
    stream.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk)
      kept.add(text)
      if (isOutput && printed.length < mostPrinted) printed += text
      if (!room.onLine) return
      const lines = (line + text).split('\n')
      line = lines.pop()!.slice(0, mostPrinted)
      for (const one of lines) room.onLine(one)
    })
    stream.on('end', () => line && room.onLine?.(line))
  }
  listen(boxed.stdout, true)
  listen(boxed.stderr, false)
  try {
    // What it printed last may still be on its way when it is gone.
    const [{ code }] = await Promise.all([boxed.ended, closed(boxed.stdout), closed(boxed.stderr)])
    return {
      code,
      stopped,
      seconds: (performance.now() - began) / 1_000,
      output: kept.text,
      printed,
      ...(overdrawn ? { overdrawn } : {}),
    }
  } finally {
    clearTimeout(timer)
    room.cancelled?.removeEventListener('abort', cancel)
  }
}

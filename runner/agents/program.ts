import path from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Box, Limits } from '../box/box.ts'
import { privateHere } from '../box/exposure.ts'
import { tailOf } from '../box/tail.ts'
import type { Turn } from './agent.ts'
import { installFolder } from './installed.ts'
import { QuestionWatch } from './question-watch.ts'

/** How long an agent has to end its turn when it is asked to. */
const graceMs = 10_000
const errorLetters = 8_000
/** More than any event has; the rest of such a line is left out. */
const lineLetters = 32_000_000

export interface Program {
  command: string[]
  environment: Record<string, string>
  readable: string[]
  /** Written to its standard input, which is then closed. */
  stdin: string
  onLine: (line: string) => void
}

export interface ProgramEnd {
  code: number | null
  signal: NodeJS.Signals | null
  /** The last that it wrote to standard error. */
  errors: string
  isAsked: boolean
}

/** Runs one program to its end, in the box: reads its lines and its question, and stops it on request. */
export async function runProgram(turn: Turn, box: Box, program: Program): Promise<ProgramEnd> {
  using questions = new QuestionWatch(turn)
  const boxed = box.start(program.command, limitsOf(turn, box, program))
  const errors = tailOf(boxed.stderr)
  boxed.stdin.end(program.stdin)
  const isRead = readLines(boxed.stdout, (line) => {
    try {
      program.onLine(line)
    } catch {
      // Whatever it wrote to look like an event, it is a line that was printed.
      turn.onEvent({ type: 'printed', line: line.slice(0, errorLetters) })
    }
  })
  using _stop = stopsWhen(turn, questions, (grace) => void boxed.end(grace))
  const ended = await boxed.ended
  await isRead
  questions.look({ isLast: true })
  return { ...ended, errors: errors(), isAsked: questions.isAsked }
}

/** Nothing is inherited: an agent sees what stands here, what the turn's limits add, and what its own file does. */
export function limitsOf(
  turn: Turn,
  box: Box,
  program: { environment: Record<string, string>; readable: string[] },
): Limits {
  const { limits } = turn
  const node = path.dirname(process.execPath)
  const environment = {
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    HOME: box.inside(limits.home, limits),
    ...limits.environment,
    PATH: `${node}:${limits.environment.PATH ?? '/usr/local/bin:/usr/bin:/bin'}`,
    ...program.environment,
  }
  const ownNode = installFolder(process.execPath, privateHere(null))
  const programs = [...new Set([...(limits.programs ?? []), ...program.readable])]
  return { ...limits, environment, programs, tools: [...(limits.tools ?? []), ownNode] }
}

/** Ends a turn that is cancelled, or that goes on after its question. */
export function stopsWhen(turn: Turn, questions: QuestionWatch, end: (graceMs: number) => void): Disposable {
  const onCancel = () => end(turn.cancelled.reason === 'abort' ? 0 : graceMs)
  const onOverdue = () => end(graceMs)
  if (turn.cancelled.aborted) onCancel()
  turn.cancelled.addEventListener('abort', onCancel, { once: true })
  questions.overdue.addEventListener('abort', onOverdue, { once: true })
  return {
    [Symbol.dispose]() {
      turn.cancelled.removeEventListener('abort', onCancel)
      questions.overdue.removeEventListener('abort', onOverdue)
    },
  }
}

/** Each line as it comes. One without an end must not fill the memory of the runner. */
async function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  let begun: string[] = []
  let letters = 0
  const keep = (text: string) => {
    const kept = text.slice(0, Math.max(0, lineLetters - letters))
    letters += kept.length
    if (kept) begun.push(kept)
  }
  const end = () => {
    const line = begun.join('')
    begun = []
    letters = 0
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
  stream.setEncoding('utf8').on('data', (text: string) => {
    const [first, ...rest] = text.split('\n')
    keep(first!)
    for (const part of rest) {
      end()
      keep(part)
    }
  })
  await finished(stream, { writable: false }).catch(() => {})
  if (letters > 0) end()
}

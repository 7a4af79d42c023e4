import { visibleJson } from '@signalbox/contract/visible.ts'
import { type DestinationStream, type Logger, pino } from 'pino'
import { traceFields } from './active-span.ts'
import { isDatabaseAway } from './db/away.ts'

export type { Logger } from 'pino'

/** Anything shaped like a token, and every secret in a query string, whatever field it is in. */
const secrets =
  /\b(?:tk_[0-9A-Za-z]{32}|scim_[0-9A-Za-z]{40})\b|([?&](?:key|token|secret)=)[^&\s"]+|(Bearer\s+)[^\s"]+/g

/** A token keeps the prefix that the app shows, so that a log line can still be matched to it. */
export const redact = (text: string): string =>
  text.replace(secrets, (found, parameter?: string, scheme?: string) =>
    parameter ? `${parameter}[redacted]` : scheme ? `${scheme}[redacted]` : `${found.slice(0, 11)}[redacted]`,
  )

/**
 * One JSON object a line. The whole line is redacted last, so no field can be forgotten; and it may be read in a
 * terminal.
 */
export function createLog(options: { level: string; to?: DestinationStream; traced?: boolean }): Logger {
  const destination = options.to ?? standardError()
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serialized },
      hooks: { logMethod: unlessHeld },
      ...(options.traced ? { mixin: traceFields } : {}),
    },
    { write: (line: string) => destination.write(visibleJson(redact(line))) },
  )
}

/** Takes a line about an error over, to write it later or never. Returns whether it does. */
export type HoldBack = (error: Error, write: () => void) => boolean

const holding = Symbol('holds lines back')
type Held = { [holding]?: HoldBack }

/** Asks `holdBack` about each line with an error, of this log and of those made from it. */
export function holdBackErrors(log: Logger, holdBack: HoldBack): void {
  ;(log as Held)[holding] = holdBack
}

function unlessHeld(this: Logger, line: unknown[], method: (...line: unknown[]) => void): void {
  const write = () => method.apply(this, line)
  const error = (line[0] as { err?: Error } | null)?.err
  const holdBack = (this as Held)[holding]
  // Some libraries report an error as an object that is none.
  if (typeof error !== 'object' || error === null || !holdBack?.(error, write)) write()
}

/** The reader of the log may go away; the server goes on without it. */
function standardError(): DestinationStream {
  const destination = pino.destination({ dest: 2, sync: true })
  destination.on('error', () => {})
  return destination
}

/** Errors of libraries carry whole connections with them; a log line gets what explains the failure. */
const serialized = (error: Error & { code?: string }): Record<string, unknown> => ({
  type: error.name,
  message: error.message,
  code: error.code,
  // Where a connection failed says nothing that its message does not.
  ...(isDatabaseAway(error) ? {} : { stack: error.stack }),
  ...(error.cause instanceof Error ? { cause: serialized(error.cause) } : {}),
})

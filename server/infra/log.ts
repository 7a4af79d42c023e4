import { visibleJson } from '@signalbox/contract/visible.ts'
import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/** Anything shaped like a token, and every secret in a query string, whatever field it stands in. */
const secrets = /\btk_[0-9A-Za-z]{8}[0-9A-Za-z]{24}\b|([?&](?:key|token|secret)=)[^&\s"]+|(Bearer\s+)[^\s"]+/g

/** A token keeps the prefix that the app shows, so that a log line can still be matched to it. */
export const redact = (text: string): string =>
  text.replace(secrets, (found, parameter?: string, scheme?: string) =>
    parameter ? `${parameter}[redacted]` : scheme ? `${scheme}[redacted]` : `${found.slice(0, 11)}[redacted]`,
  )

/**
 * One JSON object a line. The whole line is redacted last, so no field can be forgotten; and it may be read in a
 * terminal.
 */
export function createLog(options: { level: string; to?: DestinationStream }): Logger {
  const destination = options.to ?? standardError()
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serialized },
    },
    { write: (line: string) => destination.write(visibleJson(redact(line))) },
  )
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
  stack: error.stack,
  ...(error.cause instanceof Error ? { cause: serialized(error.cause) } : {}),
})

import { visible, visibleJson } from '@signalbox/contract/visible.ts'

/**
 * How commands print what they have read from a file or a database: a line stays a line, whatever is in it,
 * and nothing in it steers the terminal.
 */
export const print = (line: string): void => void process.stdout.write(`${onOneLine(line)}\n`)

const onOneLine = (line: string): string => visible(line).replaceAll('\n', '\\n')

/** The same values as JSON; invisible characters are escaped. */
export const printJson = (value: unknown, indent?: number): void =>
  void process.stdout.write(`${visibleJson(JSON.stringify(value, null, indent))}\n`)

import { visible } from '@signalbox/contract/visible.ts'

/**
 * How commands print what they have read from a file or a database: a line stays a line, whoever wrote what is in it,
 * and nothing in it steers the terminal.
 */
export const print = (line: string): void => void process.stdout.write(`${onOneLine(line)}\n`)

const onOneLine = (line: string): string => visible(line).replaceAll('\n', '\\n')

/** The same values to whoever reads it as JSON; what would not be seen is escaped as JSON has it. */
export const printJson = (value: unknown, indent?: number): void =>
  void process.stdout.write(`${JSON.stringify(value, null, indent).replace(unseen, escaped)}\n`)

const unseen = /[^\P{Cc}\n]|[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu

const escaped = (letter: string): string =>
  letter
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

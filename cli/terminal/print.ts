import { visible, visibleJson } from '@signalbox/contract/visible.ts'

/** Prints text that may be of others: nothing in it steers the terminal. What is our own comes as it is. */
export const print = (text = ''): void => void process.stdout.write(`${text}\n`)

export const printJson = (value: unknown): void =>
  void process.stdout.write(`${visibleJson(JSON.stringify(value))}\n`)

/** What is no result: it is not in the way of a program that reads those. */
export const note = (text: string): void => void process.stderr.write(`${visible(text)}\n`)

/** Of others, on one line. */
export const oneLine = (text: string): string => visible(text).replaceAll(/\s+/g, ' ').trim()

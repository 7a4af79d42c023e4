import type { Gate } from '@signalbox/contract/run.ts'

/** The gates that most runs of the demo pass through, by what they say. */

export const gate = (name: string, result: Gate['result'], summary: string): Gate => ({
  name,
  result,
  summary,
})

export const noneDenied = (files: number) =>
  gate('denied paths', 'passed', `${files} changed files, none denied`)

export const specUnchanged = (files: number) =>
  gate('diff guard', 'passed', `acceptance spec unchanged (${files} files)`)

export const typeCheck = gate('type check', 'passed', 'no errors')

export const unitTests = (tests: number, seconds: number) =>
  gate('unit tests', 'passed', `${tests.toLocaleString('en')} passed in ${seconds} s`)

/** All criteria of the story; `where` tells the place they were tried at. */
export const allCriteria = (count: number, where = '') =>
  gate('acceptance', 'passed', `${count} of ${count} criteria${where && ` ${where}`}`)

export const securityScan = gate('security scan', 'passed', 'no findings')

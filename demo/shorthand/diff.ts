import type { Evidence } from '@signalbox/contract/run.ts'

type Changes = Pick<Evidence['changes'], 'paths' | 'additions' | 'deletions'>

/**
 * The diff of a change that was never written: its files and its numbers of lines are those of the change, and each line says
 * that it is scripted. A person who is asked to merge sees where the lines are, and is not shown code that isn't there.
 */
export const scriptedDiff = ({ paths, additions, deletions }: Changes): string => {
  const added = shares(additions, paths.length)
  // From the other end, so that no file is left without a line where there are few.
  const deleted = shares(deletions, paths.length).toReversed()
  return paths.map((path, index) => fileDiff(path, added[index]!, deleted[index]!)).join('')
}

/** As evenly as whole lines allow, the first files a line more. */
const shares = (lines: number, files: number): number[] =>
  Array.from({ length: files }, (_, index) => Math.floor(lines / files) + (index < lines % files ? 1 : 0))

function fileDiff(path: string, added: number, deleted: number): string {
  const line = (sign: string, number: number) =>
    `${sign}${commented(path, `scripted line ${number} of ${path}`)}`
  const lines = (sign: string, count: number) =>
    Array.from({ length: count }, (_, index) => line(sign, index + 1))
  return [
    `diff --git a/${path} b/${path}`,
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -1,${deleted} +1,${added} @@`,
    ...lines('-', deleted),
    ...lines('+', added),
    '',
  ].join('\n')
}

const signs: Record<string, string> = {
  md: '',
  json: '',
  yml: '#',
  yaml: '#',
  py: '#',
  sh: '#',
  sql: '--',
  tf: '#',
}

const commented = (path: string, text: string): string =>
  `${signs[path.split('.').at(-1)!] ?? '//'} ${text}`.trimStart()

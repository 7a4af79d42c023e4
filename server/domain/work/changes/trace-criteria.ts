import type { ChangedLine, CriterionTrace } from '@signalbox/contract/app/runs.ts'
import type { Evidence } from '@signalbox/contract/run.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { findLines } from '../runs/log/find.ts'
import type { ParsedFile } from './parse-diff.ts'
import { readFiles } from './read.ts'
import { selectEvidence } from './store.ts'

/**
 * From each criterion to the test that has its id, the line of the log that is its proof, and the changed files that
 * the test names. All of it is found again in what is stored; where nothing is found, nothing is said.
 */
export async function traceCriteria(ctx: Context, key: string): Promise<CriterionTrace[]> {
  const found = await selectEvidence(ctx.db, ctx.workspaceId, key)
  if (!found) throw notFound('run', key)
  const criteria = found.criteria ?? []
  if (criteria.length === 0) return []
  const [files, lines] = await Promise.all([
    readFiles(ctx, key),
    findLines(
      ctx,
      found.runId,
      criteria.map(({ proof }) => proof),
    ),
  ])
  return criteria.map((criterion) => ({
    id: criterion.id,
    logLine: lines.get(criterion.proof) ?? null,
    ...placesOf(criterion, files ?? []),
  }))
}

/** Where an acceptance spec is in its repository; in several, after the repository's name. */
const specFolder = '.kanman/acceptance/'
const isOfSpec = (path: string) => path.startsWith(specFolder) || path.includes(`:${specFolder}`)

/** The test of a criterion in the acceptance spec of a change, and where the change begins in the files it names. */
export function placesOf(
  { id, proof }: Pick<Evidence['criteria'][number], 'id' | 'proof'>,
  files: readonly Pick<ParsedFile, 'path' | 'hunks'>[],
): Pick<CriterionTrace, 'test' | 'hunks'> {
  const title = afterWord(proof, id)
  let test: (ChangedLine & { lines: NewLine[]; isTitled: boolean }) | null = null
  for (const { path, hunks } of files) {
    if (!isOfSpec(path)) continue
    const lines = newLines(hunks)
    for (const { number, text } of lines) {
      const rest = afterWord(text, id)
      if (rest === null) continue
      // A comment may name it too: the line with the words that were printed is the test.
      const isTitled = title !== null && title !== '' && rest.startsWith(title)
      if (!test || (isTitled && !test.isTitled)) test = { path, line: number, lines, isTitled }
    }
  }
  if (!test) return { test: null, hunks: [] }
  const { path, line, lines } = test
  const named = (file: string) => lines.some(({ text }) => names(text, path, file))
  return {
    test: { path, line },
    hunks: files.flatMap((file) => {
      const [first] = isOfSpec(file.path) ? [] : changedLines(file.hunks)
      return first !== undefined && named(file.path) ? [{ path: file.path, line: first }] : []
    }),
  }
}

interface NewLine {
  number: number
  text: string
  isAdded: boolean
}

/** The lines of a file as they are after the change, as far as its hunks show them. */
function newLines(hunks: string): NewLine[] {
  const lines: NewLine[] = []
  let number = 0
  for (const line of hunks.split('\n')) {
    const begin = line.startsWith('@@ ') ? /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line) : null
    if (begin) number = Number(begin[1])
    else if (line.startsWith('+') || line.startsWith(' '))
      lines.push({ number: number++, text: line.slice(1), isAdded: line.startsWith('+') })
  }
  return lines
}

const changedLines = (hunks: string): number[] => {
  const lines = newLines(hunks)
  const added = lines.filter(({ isAdded }) => isAdded)
  return (added.length > 0 ? added : lines).map(({ number }) => number)
}

/** How much of a test's name is compared: runners append times, and long names are cut. */
const titleLength = 20

/** What follows an id that stands as a word of its own in a line; null: it does not. */
function afterWord(line: string, word: string): string | null {
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
    const isWord = !isLetter(line[at - 1], '-') && !isLetter(line[at + word.length], '')
    if (isWord) return line.slice(at + word.length, at + word.length + titleLength)
  }
  return null
}

const isLetter = (letter: string | undefined, also: string) =>
  letter !== undefined && (letter === also || /\w/.test(letter))

/** Whether a line of a test names a file: by its path in the repository, or from where the test is. */
function names(line: string, test: string, file: string): boolean {
  const inRepository = file.slice(file.indexOf(':') + 1)
  if (test.slice(0, test.indexOf(':') + 1) !== file.slice(0, file.indexOf(':') + 1)) return false
  const depth = test.slice(test.indexOf(':') + 1).split('/').length - 1
  return quotedIn(line, inRepository) || quotedIn(line, `${'../'.repeat(depth)}${inRepository}`)
}

/** As a whole: `src/a.js` is not named by `other/src/a.js` or `src/a.jsx`. */
function quotedIn(line: string, path: string): boolean {
  for (let at = line.indexOf(path); at >= 0; at = line.indexOf(path, at + 1)) {
    const [before, after] = [line[at - 1], line[at + path.length]]
    if (!isLetter(before, '/') && before !== '.' && before !== '-' && !isLetter(after, '/') && after !== '-')
      return true
  }
  return false
}

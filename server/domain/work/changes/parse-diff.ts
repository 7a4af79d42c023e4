import type { DiffFile } from '@signalbox/contract/app/runs.ts'
import { dictionary } from '@signalbox/contract/dictionary.ts'

/** A file of a unified diff, with all of its hunks. */
export type ParsedFile = Omit<DiffFile, 'isLarge' | 'hunks'> & { hunks: string }

const head = /^diff --git (.*)$/
const range = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/**
 * Parses the output of `git diff`. The first line of a hunk says how long it is, so no changed line, whatever it
 * contains, can be mistaken for the next hunk or file.
 */
export function parseDiff(text: string): ParsedFile[] {
  const lines = text.split('\n')
  const files: ParsedFile[] = []
  let at = 0
  while (at < lines.length) {
    const names = head.exec(lines[at]!)?.[1]
    at += 1
    if (names === undefined) continue
    const file = fileOf(names)
    at = readHeader(lines, at, file)
    const hunks: string[] = []
    for (let found = range.exec(lines[at] ?? ''); found; found = range.exec(lines[at] ?? '')) {
      const end = endOfHunk(lines, at, Number(found[1] ?? 1), Number(found[2] ?? 1), file)
      hunks.push(...lines.slice(at, end))
      at = end
    }
    file.hunks = hunks.join('\n')
    files.push(file)
  }
  return files
}

const fileOf = (names: string): ParsedFile => ({
  path: commonName(names),
  oldPath: null,
  status: 'modified',
  mode: null,
  additions: 0,
  deletions: 0,
  isBinary: false,
  hunks: '',
})

/** Until the first hunk or the next file. */
function readHeader(lines: string[], from: number, file: ParsedFile): number {
  const mode = { before: '', after: '' }
  let at = from
  for (; at < lines.length; at += 1) {
    const line = lines[at]!
    if (range.test(line) || head.test(line)) break
    const said = (start: string) => (line.startsWith(start) ? line.slice(start.length) : null)
    const is = (start: string, use: (rest: string) => void) => {
      const rest = said(start)
      if (rest !== null) use(rest)
    }
    is('old mode ', (rest) => {
      mode.before = rest
    })
    is('new mode ', (rest) => {
      mode.after = rest
    })
    is('new file mode ', () => {
      file.status = 'added'
    })
    is('deleted file mode ', () => {
      file.status = 'deleted'
    })
    for (const [word, status] of [
      ['rename', 'renamed'],
      ['copy', 'copied'],
    ] as const) {
      is(`${word} from `, (rest) => {
        file.status = status
        file.oldPath = unquoted(rest)
      })
      is(`${word} to `, (rest) => {
        file.path = unquoted(rest)
      })
    }
    is('--- ', (rest) => {
      if (file.status === 'deleted') file.path = sideOf(rest) ?? file.path
    })
    is('+++ ', (rest) => {
      file.path = sideOf(rest) ?? file.path
    })
    if (/^Binary files .* differ$|^GIT binary patch$/.test(line)) file.isBinary = true
  }
  if (mode.before !== mode.after) file.mode = mode
  return at
}

function endOfHunk(lines: string[], from: number, removed: number, added: number, file: ParsedFile): number {
  let [before, after] = [removed, added]
  let at = from + 1
  for (; at < lines.length && (before > 0 || after > 0); at += 1) {
    const sign = lines[at]![0]
    if (sign === '\\') continue
    if (sign === '-') {
      file.deletions += 1
      before -= 1
    } else if (sign === '+') {
      file.additions += 1
      after -= 1
    } else {
      before -= 1
      after -= 1
    }
  }
  return lines[at]?.startsWith('\\') ? at + 1 : at
}

/** `a/x b/x`: the only place that names a file without hunks. Its name did not change, so both halves are the same. */
function commonName(names: string): string {
  const half = (names.length - 1) / 2
  const [before, after] = [names.slice(0, half), names.slice(half + 1)]
  const isQuoted = before.startsWith('"a/') && before.endsWith('"') && after === `"b/${before.slice(3)}`
  return isQuoted ? unquoted(`"${before.slice(3)}`) : after.replace(/^b\//, '')
}

/** The name after `---` or `+++`; null: the file is not there on that side. A tab ends a name with spaces in it. */
function sideOf(rest: string): string | null {
  const name = unquoted(rest.replace(/\t$/, ''))
  return name === '/dev/null' ? null : name.slice(2)
}

const escapes: Record<string, number> = dictionary({
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
})

/** Git puts a name in quotes when it holds what a line cannot: its bytes are then written as in C. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name
  const bytes: Buffer[] = []
  for (const [piece] of name.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/gsu)) {
    if (!piece.startsWith('\\')) bytes.push(Buffer.from(piece))
    else if (piece.length === 4) bytes.push(Buffer.from([Number.parseInt(piece.slice(1), 8)]))
    else bytes.push(Buffer.from([escapes[piece[1]!] ?? 63]))
  }
  return Buffer.concat(bytes).toString('utf8')
}

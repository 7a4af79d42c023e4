import { constants } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { coveredBy } from '@signalbox/contract/denied-paths.ts'
import { readGo } from './go.ts'
import { readJunit } from './junit.ts'
import { mostFailures, mostOfAReport, mostPasses, type Report, type ReportPlace } from './report.ts'
import { readSarif } from './sarif.ts'
import { readTap } from './tap.ts'

const readers = { junit: readJunit, tap: readTap, sarif: readSarif, go: readGo }
const mostFiles = 2_000
const mostFolders = 20_000

/** What the gate left, all of its files taken together. Throws with words when there is none that can be read. */
export async function readReport(
  { report, folder }: ReportPlace,
  worktree: string,
  printed: string,
): Promise<Report | null> {
  if (!report) return null
  const read = readers[report.kind]
  if (report.path === null) return read(printed)
  const files = await filesAt(path.join(worktree, folder), report.path)
  if (files.length === 0) throw new Error(`It left no report at ${report.path}.`)
  const reports: Report[] = []
  let bytes = 0
  for (const file of files) {
    const text = await readPlainly(file, mostOfAReport - bytes)
    bytes += text.length
    reports.push(read(text))
  }
  return reports.reduce(together)
}

/** Those that lie there before a gate runs are not its own: somebody has committed them. */
export async function clearReports({ report, folder }: ReportPlace, worktree: string): Promise<void> {
  if (!report?.path) return
  for (const file of await filesAt(path.join(worktree, folder), report.path)) await rm(file, { force: true })
}

/** Files only, and never through a link: what a gate has run may have put one there. A folder is taken with all in it. */
async function filesAt(root: string, glob: string): Promise<string[]> {
  const wanted = path.posix.normalize(glob).replace(/\/$/, '')
  const hasStars = /[*?]/.test(wanted)
  const leadsThere = (folder: string) =>
    hasStars || `${wanted}/`.startsWith(`${folder}/`) || folder.startsWith(`${wanted}/`)
  const found: string[] = []
  const ahead = ['.']
  for (let folders = 0; ahead.length > 0 && folders < mostFolders && found.length < mostFiles; folders += 1) {
    const below = ahead.shift()!
    for (const entry of await readdir(path.join(root, below), { withFileTypes: true }).catch(() => [])) {
      const name = path.posix.join(below, entry.name)
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && entry.name !== '.git' && leadsThere(name)) ahead.push(name)
      } else if (entry.isFile() && coveredBy([name], [wanted, `${wanted}/**`]).length > 0)
        found.push(path.join(root, name))
    }
  }
  return found.sort()
}

async function readPlainly(file: string, maxBytes: number): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new Error('The report is no file.')
    if (found.size > maxBytes) throw new Error('The report is too large.')
    return (await handle.readFile()).toString()
  } finally {
    await handle.close()
  }
}

function together(a: Report, b: Report): Report {
  return {
    tests:
      a.tests && b.tests
        ? {
            passed: a.tests.passed + b.tests.passed,
            failed: a.tests.failed + b.tests.failed,
            skipped: a.tests.skipped + b.tests.skipped,
          }
        : (a.tests ?? b.tests),
    failures: [...a.failures, ...b.failures].slice(0, mostFailures),
    passes: [...(a.passes ?? []), ...(b.passes ?? [])].slice(0, mostPasses),
    words: [a.words, b.words].filter(Boolean).join('; ') || null,
  }
}

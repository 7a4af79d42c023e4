import path from 'node:path'
import { coveredBy } from '@signalbox/contract/denied-paths.ts'
import { HeldFolder } from '../disk/held-folder.ts'
import { readGo } from './go.ts'
import { readJunit } from './junit.ts'
import { mostFailures, mostOfAReport, mostPasses, type Report, type ReportPlace } from './report.ts'
import { readSarif } from './sarif.ts'
import { readTap } from './tap.ts'

const readers = { junit: readJunit, tap: readTap, sarif: readSarif, go: readGo }
const mostFiles = 2_000
const mostFolders = 20_000

/** What the gate left, all of its files taken together. Throws with words when there is none that can be read. */
export function readReport(
  { report, folder }: ReportPlace,
  worktree: string,
  printed: string,
): Report | null {
  if (!report) return null
  const read = readers[report.kind]
  if (report.path === null) return read(printed)
  using held = HeldFolder.open(worktree)
  const texts = held.within(folder, (below) => textsAt(below, report.path!)) ?? []
  if (texts.length === 0) throw new Error(`It left no report at ${report.path}.`)
  return texts.map(read).reduce(together)
}

/** Those that lie there before a gate runs are not its own: someone has committed them. */
export function clearReports({ report, folder }: ReportPlace, worktree: string): void {
  if (!report?.path) return
  using held = HeldFolder.open(worktree)
  held.within(folder, (below) => {
    for (const file of filesAt(below, report.path!)) below.remove(file)
  })
}

function textsAt(folder: HeldFolder, glob: string): string[] {
  let bytes = 0
  return filesAt(folder, glob).map((file) => {
    const found = folder.read(file, mostOfAReport - bytes)
    if (!('bytes' in found))
      throw new Error(found.none === 'too large' ? 'The report is too large.' : 'The report is not a file.')
    bytes += found.bytes.length
    return found.bytes.toString()
  })
}

/**
 * Files only, and never through a link: what a gate has run may have put one there. A folder is taken with all in it.
 */
function filesAt(folder: HeldFolder, glob: string): string[] {
  const wanted = path.posix.normalize(glob).replace(/\/$/, '')
  const hasStars = /[*?]/.test(wanted)
  const leadsThere = (below: string) =>
    !['node_modules', '.git'].includes(path.posix.basename(below)) &&
    (hasStars || `${wanted}/`.startsWith(`${below}/`) || below.startsWith(`${wanted}/`))
  return folder
    .walk({ folders: mostFolders, into: leadsThere })
    .filter(({ kind }) => kind === 'file')
    .map((found) => found.path)
    .filter((file) => coveredBy([file], [wanted, `${wanted}/**`]).length > 0)
    .take(mostFiles)
    .toArray()
    .sort()
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

import type { Finding } from '@signalbox/contract/guard/finding.ts'
import type { Evidence } from '@signalbox/contract/run.ts'
import type { PinnedSpec, Work } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../../context.ts'
import { parseJson } from '../../parse-json.ts'
import type { ChangeReader, ReadChange } from '../../ports/change-reader.ts'
import { readFileOfRun } from '../files/read-of-run.ts'

/** What the server has found out about work that was handed in, by nothing but its bytes. */
export interface DerivedChange extends Pick<ReadChange, 'tree' | 'commits' | 'outside' | 'pinnedPaths'> {
  change: Evidence['changes']
  findings: Finding[]
  diff: string
}

export interface Derivation {
  /** Whose files they are. */
  runId: string
  work: Work
  /** By which the run is measured, as it was pinned. */
  spec: PinnedSpec | null
  deniedPaths: readonly string[]
  /** Denied paths that a person has allowed for this run. */
  exceptions: readonly string[]
}

/** Looks at work that was handed in. Refused: nothing of it goes further, and the sentence says why. */
export async function deriveChange(
  ctx: Context,
  reader: ChangeReader,
  { runId, work, spec, deniedPaths, exceptions }: Derivation,
): Promise<DerivedChange | { refused: string }> {
  const pinned = spec ? await pinnedFiles(ctx, runId, spec) : new Map<string, Buffer>()
  const read = await reader.read({
    ...{ base: work.base, head: work.head, deniedPaths, exceptions, pinned },
    bytes: () => readFileOfRun(ctx, runId, work.bundle),
  })
  if ('unreadable' in read) return { refused: read.unreadable }
  if (read.refusals.length > 0) return { refused: `The change was refused. ${read.refusals.join(' ')}` }
  const { tree, commits, outside, pinnedPaths, diff } = read
  // What is missing of the spec is in no diff: the base did not have it.
  const paths = [...new Set([...read.change.paths, ...read.spec])]
  return {
    ...{ tree, commits, outside, pinnedPaths, diff: diff.text },
    change: { ...read.change, files: paths.length, paths },
    findings: [...read.findings, ...(diff.isCut ? [cut] : [])],
  }
}

/** Said of a diff of which the end is missing. */
export const cut: Finding = { kind: 'size', path: '', says: 'The diff is too long to be shown in full.' }

/** The files of a spec by their whole paths, as the guard expects them. Of what cannot be read there are none. */
export async function pinnedFiles(
  ctx: Context,
  runId: string,
  { files, folder }: Pick<PinnedSpec, 'files' | 'folder'>,
): Promise<Map<string, Buffer>> {
  const entries = Object.entries(packedIn((await readFileOfRun(ctx, runId, files)).toString('utf8')) ?? {})
  return new Map(
    entries.flatMap(([path, content]) =>
      typeof content === 'string' ? [[`${folder}/${path}`, Buffer.from(content, 'base64')] as const] : [],
    ),
  )
}

function packedIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

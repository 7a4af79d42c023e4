import { createHash } from 'node:crypto'
import { acceptanceSpec, coveredBy, coveredChanges, foldedPath, foldersAbove } from '../denied-paths.ts'
import type { Evidence } from '../run.ts'
import type { Finding } from './finding.ts'
import { findingsOf, type Seen as Looked, megabytes } from './findings.ts'
import { isLink, leadsOut } from './links.ts'
import { shownPath } from './lookalike.ts'
import type { Change, Objects } from './objects.ts'

export interface Guarding {
  /** Where the run began. Never the turn before: what was deleted and comes back would not be seen. */
  base: string
  /** A commit, or the tree of what is in a worktree. */
  head: string
  deniedPaths: readonly string[]
  /** Paths that a person has allowed for this run. */
  exceptions: readonly string[]
  /**
   * The files of the pinned spec by their whole paths; the runner puts them there, so as they are they are no change.
   */
  pinned: ReadonlyMap<string, Buffer>
}

/** What a change touches that it may not, and what people should know of it. Every text is a sentence. */
export interface Guarded {
  denied: string[]
  /** Paths of the acceptance spec that are not as they were, or not as they were pinned. */
  spec: string[]
  /** Nothing like this goes further, no matter who allows it. */
  refusals: string[]
  findings: Finding[]
  change: Evidence['changes']
}

const mostOfAFile = 100_000_000
const mostRead = 1_000_000
const isSubmodule = (mode: string) => mode === '160000'

export async function guard(objects: Objects, guarding: Guarding): Promise<Guarded> {
  const { base, head, deniedPaths, exceptions, pinned } = guarding
  const [all, counts, entries] = await Promise.all([
    objects.changes(base, head),
    objects.counts(base, head),
    objects.entries(head),
  ])
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  const isOurs = (path: string) => {
    const content = pinned.get(path)
    const entry = byPath.get(path)
    return (
      content !== undefined && entry?.mode === '100644' && entry.blob === blobOf(content, entry.blob.length)
    )
  }
  const changes = all.filter(({ path }) => !isOurs(path))
  const paths = changes.map(({ path }) => path)
  const spec = new Set([
    ...coveredChanges(paths, [acceptanceSpec]),
    ...[...pinned.keys()].filter((path) => !isOurs(path)),
  ])
  const denied = coveredChanges(paths, deniedPaths).filter(
    (path) => !exceptions.includes(path) && !spec.has(path),
  )
  const sizes = await sizesOf(objects, changes)
  const seen = { objects, guarding, deniedPaths, changes, counts, entries, byPath, sizes }
  const [refusals, findings] = await Promise.all([refusalsOf(seen), findingsOf(seen)])
  const sum = (kind: 'additions' | 'deletions') =>
    counts.reduce((total, count) => total + (isOurs(count.path) ? 0 : (count[kind] ?? 0)), 0)
  return {
    denied,
    spec: [...spec],
    refusals,
    findings,
    change: { files: paths.length, additions: sum('additions'), deletions: sum('deletions'), paths },
  }
}

interface Seen extends Looked {
  guarding: Guarding
}

async function refusalsOf(seen: Seen): Promise<string[]> {
  const { changes, guarding } = seen
  const there = changes.filter(({ status }) => status !== 'deleted')
  return [
    ...(await historyRefusals(seen)),
    ...changes.flatMap((change) =>
      submoduleRefusal(change, guarding).map((why) => `${shownPath(change.path)} ${why}.`),
    ),
    ...there.flatMap(({ path }) => nameRefusals(path).map((why) => `${shownPath(path)} ${why}.`)),
    ...(await newNameRefusals(seen)),
    ...(await linkRefusals(seen)),
    ...sizeRefusals(seen),
    ...twins(seen),
  ]
}

async function historyRefusals({ objects, guarding: { base, head } }: Seen): Promise<string[]> {
  const isRewritten = (await objects.has(head)) && !(await objects.isAncestor(base, head))
  return isRewritten
    ? ['The history was rewritten: the work does not build on the commit that the run began from.']
    : []
}

function submoduleRefusal({ path, mode }: Change, { exceptions }: Guarding): string[] {
  if (exceptions.includes(path)) return []
  if (isSubmodule(mode.before) || isSubmodule(mode.after))
    return ['is a submodule or a repository of its own']
  return coveredBy([path], ['.gitmodules']).length > 0 ? ['says which submodules there are'] : []
}

function nameRefusals(path: string): string[] {
  const names = path.split('/')
  if (path.includes('\ufffd')) return ['has a name that is not UTF-8']
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return ['is not a path that git writes']
  return coveredBy(names, ['.git']).length > 0 ? ['has a name that a file system may take for `.git`'] : []
}

/** Names that are another file's to some systems. What has been there before is let be. */
async function newNameRefusals({ objects, guarding, changes }: Seen): Promise<string[]> {
  const odd = /:|~\d/
  const added = changes.filter(({ path, status }) => status === 'added' && odd.test(path))
  if (added.length === 0) return []
  const before = (await objects.entries(guarding.base)).map(({ path }) => path)
  return added.flatMap(({ path }) => {
    const names = path.split('/')
    const isNew = names.some((name, at) => {
      const folder = `${names.slice(0, at + 1).join('/')}/`
      return odd.test(name) && !before.some((other) => other.startsWith(folder))
    })
    return isNew ? [`${shownPath(path)} has a name that means another file to some systems.`] : []
  })
}

async function linkRefusals({ objects, guarding, changes, entries }: Seen): Promise<string[]> {
  const links = changes.filter(({ mode }) => isLink({ mode: mode.after })).map(({ path }) => path)
  if (links.length === 0) return []
  const all = entries.filter(isLink)
  const blobs = await objects.readBlobs(
    all.map(({ blob }) => blob),
    mostRead,
  )
  const targets = new Map(all.map(({ path, blob }) => [path, blobs.get(blob)?.toString() ?? '/']))
  const hides = coveredBy(links, guarding.deniedPaths.flatMap(foldersAbove))
  return [
    ...links.flatMap((path) => {
      const why = leadsOut(path, targets)
      return why === null ? [] : [`${shownPath(path)} is a link that ${why}.`]
    }),
    ...hides
      .filter((path) => !guarding.exceptions.includes(path))
      .map((path) => `${shownPath(path)} is a link where a denied path would have a folder.`),
  ]
}

const sizeRefusals = ({ sizes }: Seen): string[] =>
  [...sizes]
    .filter(([, size]) => size > mostOfAFile)
    .map(([path, size]) => `${shownPath(path)} is too large: ${megabytes(size)}.`)

async function sizesOf(objects: Objects, changes: Change[]): Promise<Map<string, number>> {
  const files = changes.filter(({ status, mode }) => status !== 'deleted' && mode.after.startsWith('100'))
  const sizes = await objects.sizes(files.map(({ blob }) => blob.after))
  return new Map(files.map(({ path, blob }) => [path, sizes.get(blob.after) ?? 0]))
}

/** Two paths of one tree that a file system may take for one, where the change brought at least one of them. */
function twins({ changes, entries }: Seen): string[] {
  const wanted = new Set<string>()
  const added = changes.filter(({ status }) => status === 'added')
  for (const { path } of added) for (const part of partsOf(path)) wanted.add(foldedPath(part))
  if (wanted.size === 0) return []
  const spelled = new Map<string, Set<string>>()
  const note = (path: string, isFolder: boolean) => {
    const folded = foldedPath(path)
    if (!wanted.has(folded)) return
    const ways = spelled.get(folded) ?? new Set()
    spelled.set(folded, ways.add(isFolder ? `${path}/` : path))
  }
  const folders = new Set<string>()
  for (const { path } of entries) {
    note(path, false)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (folders.has(folder)) break
      folders.add(folder)
      note(folder, true)
    }
  }
  return [...spelled.values()]
    .filter((ways) => ways.size > 1)
    .map((ways) => `${[...ways].map(shownPath).join(' and ')} are the same file to some file systems.`)
}

/** The path and every folder above it. */
const partsOf = (path: string): string[] =>
  path.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'))

function blobOf(content: Buffer, digits: number): string {
  const hash = createHash(digits === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex')
}

import { coveredBy } from '../denied-paths.ts'
import { binaryOf } from './binaries.ts'
import { oddCharacters, placesInWords } from './characters.ts'
import { controls, controlsAt } from './controls.ts'
import type { Finding, FindingKind } from './finding.ts'
import { isLink } from './links.ts'
import { lockfileChanges } from './lockfiles.ts'
import { hidesLetters, looksLike, mixesScripts, shown, shownPath } from './lookalike.ts'
import { manifestCheckFor } from './manifests.ts'
import { countSkippedTests, isTest } from './measured.ts'
import type { Change, Counts, Entry, Objects } from './objects.ts'
import { newSources, readingOf } from './package-sources.ts'
import { summarizeFindings } from './summarize.ts'

/** What findings are made from. Of trees and files that did not change nothing is needed. */
export interface Seen {
  objects: Objects
  deniedPaths: readonly string[]
  changes: Change[]
  counts: Counts[]
  entries: Entry[]
  byPath: ReadonlyMap<string, Entry>
  /** Of the files that are there after the change. */
  sizes: ReadonlyMap<string, number>
}

const large = 5_000_000
/** Larger ones are reported as such, since nothing in them was looked at. */
const mostOfAFile = large
const mostOfALock = 10_000_000
const mostAtOnce = 32_000_000
const mostInAll = 128_000_000

export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

export async function findingsOf(seen: Seen): Promise<Finding[]> {
  const alias = await aliasesIn(seen)
  const moved = movedIn(seen)
  const ofPaths = seen.changes.flatMap((change) => [
    ...controlFindings(change, alias),
    ...submoduleFindings(change),
    ...modeFindings(change),
    ...nameFindings(change, seen),
    ...sizeFindings(change, seen),
    ...deletedTestFindings(change, moved),
  ])
  return summarizeFindings([...ofPaths, ...(await contentFindings(seen, moved))])
}

const finding = (kind: FindingKind, { path }: Pick<Change, 'path'>, what: string): Finding => ({
  kind,
  path,
  says: `${shownPath(path)} ${what}.`,
})

function controlFindings(change: Change, alias: (path: string) => string[]): Finding[] {
  const there = controlsAt(change.path).map(({ kind, what }) =>
    finding(kind, change, `${controls[kind].says} ${what}`),
  )
  const through = alias(change.path).flatMap((path) =>
    controlsAt(path).map(({ kind, what }) =>
      finding(kind, change, `is ${shownPath(path)} through a link, and ${controls[kind].says} ${what}`),
    ),
  )
  return [...there, ...through]
}

const mostLinks = 1_000
const longestTarget = 4_096

/** What a path is called as well, through the links of the tree: `.claude` may lead to a folder of another name. */
async function aliasesIn({ objects, entries }: Seen): Promise<(path: string) => string[]> {
  const links = entries.filter(isLink).slice(0, mostLinks)
  const blobs = await read(objects, new Set(links.map(({ blob }) => blob)), longestTarget)
  const targets = links.flatMap(({ path, blob }) => {
    const to = blobs.get(blob)
    return to ? [{ path, to: walked([...path.split('/').slice(0, -1), ...to.toString().split('/')]) }] : []
  })
  return (path) =>
    targets
      .filter(({ to }) => path === to || to === '' || path.startsWith(`${to}/`))
      .map(({ path: link, to }) => `${link}${to === '' ? `/${path}` : path.slice(to.length)}`)
}

function walked(parts: string[]): string {
  const names: string[] = []
  for (const part of parts) {
    if (part === '..') names.pop()
    else if (part !== '' && part !== '.') names.push(part)
  }
  return names.join('/')
}

const isSubmodule = (mode: string) => mode === '160000'

/** Reported even where it is allowed: its content is in no diff. */
function submoduleFindings(change: Change): Finding[] {
  const { before, after } = change.mode
  if (!isSubmodule(before) && !isSubmodule(after)) return []
  if (!isSubmodule(after)) return [finding('submodules', change, 'is no longer a submodule')]
  const now = isSubmodule(before) ? 'points to another commit' : 'is a new submodule'
  return [finding('submodules', change, `${now} of a repository whose code is not in the diff`)]
}

function modeFindings(change: Change): Finding[] {
  const { status, mode, blob } = change
  if (isSubmodule(mode.before) || isSubmodule(mode.after)) return []
  if (status === 'type') {
    const now = isLink({ mode: mode.after }) ? 'has become a link' : 'is no longer what it was'
    return [finding('mode', change, now)]
  }
  if (status === 'added' && mode.after === '100755')
    return [finding('mode', change, 'is new and can be executed')]
  if (status !== 'modified' || mode.before === mode.after) return []
  const now = mode.after === '100755' ? 'can be executed now' : 'can no longer be executed'
  return [finding('mode', change, blob.before === blob.after ? `${now}; its content is the same` : now)]
}

function nameFindings(change: Change, { deniedPaths, byPath }: Seen): Finding[] {
  const { path, status } = change
  if (status !== 'added') return []
  const looks = looksLike(path)
  const isTwin = looks !== path && (byPath.has(looks) || coveredBy([looks], deniedPaths).length > 0)
  return [
    ...(isTwin ? [`looks like \`${looks}\`, but is another path`] : []),
    ...(!isTwin && mixesScripts(path) ? ['mixes letters of scripts that look alike'] : []),
    ...(hidesLetters(path) ? ['has invisible letters in its name'] : []),
    ...(path.includes('\\') ? ['has a backslash in its name, which some systems take for a folder'] : []),
  ].map((what) => finding('name', change, what))
}

function sizeFindings(change: Change, { sizes }: Seen): Finding[] {
  const size = sizes.get(change.path) ?? 0
  return size > large ? [finding('size', change, `is large: ${megabytes(size)}`)] : []
}

/** Whether what stands at a path stood elsewhere before, or went elsewhere, as it is and as the same kind of file. */
interface Moved {
  isFromElsewhere: (change: Change) => boolean
  isElsewhere: (change: Change) => boolean
}

function movedIn({ changes }: Seen): Moved {
  const kindOf = (path: string) => `${isTest(path)} ${/\.[^./]+$/.exec(path)?.[0] ?? ''}`
  const gone = new Set<string>()
  const come = new Set<string>()
  for (const { path, status, blob } of changes) {
    if (status === 'deleted') gone.add(`${blob.before} ${kindOf(path)}`)
    if (status === 'added') come.add(`${blob.after} ${kindOf(path)}`)
  }
  return {
    isFromElsewhere: ({ path, blob }) => gone.has(`${blob.after} ${kindOf(path)}`),
    isElsewhere: ({ path, blob }) => come.has(`${blob.before} ${kindOf(path)}`),
  }
}

function deletedTestFindings(change: Change, moved: Moved): Finding[] {
  if (change.status !== 'deleted' || !isTest(change.path) || moved.isElsewhere(change)) return []
  return [finding('tests_deleted', change, 'changes what is measured: a file of tests was deleted')]
}

/** A file before or after: null where there is none, undefined where it is too large or not here. */
type Content = Buffer | null | undefined

interface File {
  change: Change
  before: Content
  after: Content
  /** As git counts lines; which may count where we did not. */
  isBinary: boolean
}

async function contentFindings(seen: Seen, moved: Moved): Promise<Finding[]> {
  const binaries = new Set(seen.counts.flatMap(({ path, additions }) => (additions === null ? [path] : [])))
  const found: Finding[] = []
  for await (const { change, before, after } of contentsOf(seen)) {
    const file = { change, before, after, isBinary: binaries.has(change.path) }
    found.push(
      ...linkFindings(file),
      ...sourceFindings(file, moved),
      ...manifestFindings(file),
      ...skipFindings(file),
      ...readableFindings(file, moved),
    )
  }
  return found
}

const isFile = (mode: string) => mode.startsWith('100')
const isRead = (mode: string) => isFile(mode) || isLink({ mode })

/** What was and is in each changed file and link, a part of them at a time. */
async function* contentsOf({ objects, changes }: Seen): AsyncGenerator<Omit<File, 'isBinary'>> {
  const looked = changes.filter(({ mode }) => isRead(mode.before) || isRead(mode.after))
  const idsOf = ({ mode, blob }: Change) => [
    ...(isRead(mode.before) ? [blob.before] : []),
    ...(isRead(mode.after) ? [blob.after] : []),
  ]
  const sizes = await objects.sizes([...new Set(looked.flatMap(idsOf))])
  const mostOf = (path: string) => (readingOf(path)?.isLock ? mostOfALock : mostOfAFile)
  const isSmall = (path: string, id: string) => (sizes.get(id) ?? Infinity) <= mostOf(path)
  let left = mostInAll
  let waiting: Change[] = []
  let [ids, bytes] = [new Set<string>(), 0]
  const readWaiting = async () => {
    const blobs = await read(objects, ids, mostOfALock)
    const contentAt = (mode: string, id: string): Content => (isRead(mode) ? blobs.get(id) : null)
    const files = waiting.map((change) => ({
      change,
      before: contentAt(change.mode.before, change.blob.before),
      after: contentAt(change.mode.after, change.blob.after),
    }))
    waiting = []
    ids = new Set()
    bytes = 0
    return files
  }
  for (const change of looked) {
    const small = idsOf(change).filter((id) => isSmall(change.path, id))
    const size = small.reduce((sum, id) => sum + sizes.get(id)!, 0)
    if (bytes + size > mostAtOnce) yield* await readWaiting()
    waiting.push(change)
    if (size > left) continue
    left -= size
    bytes += size
    for (const id of small) ids.add(id)
  }
  yield* await readWaiting()
}

async function read(objects: Objects, ids: ReadonlySet<string>, most: number): Promise<Map<string, Buffer>> {
  return ids.size === 0 ? new Map() : objects.readBlobs([...ids], most)
}

function linkFindings({ change, before, after }: File): Finding[] {
  const { status, mode } = change
  if (!isLink({ mode: mode.after }) || status === 'type') return []
  const to = after ? shownPath(after.toString()) : 'somewhere'
  return [finding('mode', change, before ? `is a link, and leads to ${to} now` : `is a new link to ${to}`)]
}

const textOf = (content: Content): string | null => (content ? content.toString() : null)

function sourceFindings({ change, before, after }: File, moved: Moved): Finding[] {
  const reading = readingOf(change.path)
  if (!reading) return []
  const { isLock } = reading
  const told = (what: string) => [finding('sources', change, what)]
  if (!isFile(change.mode.after)) {
    const isGone = isLock && !moved.isElsewhere(change)
    return isGone ? told('was deleted, so what is installed is no longer pinned') : []
  }
  if (moved.isFromElsewhere(change)) return []
  const text = textOf(after)
  const sources = text === null || after!.includes(0) ? null : newSources(reading, textOf(before), text)
  if (sources === null) return isLock ? told('cannot be read, so no one knows where packages come from') : []
  const { scripts, strangers } = lockfileChanges(change.path, textOf(before), text!)
  return [
    ...(sources.length > 0 ? told(`takes packages from new sources: ${listed(sources)}`) : []),
    ...(strangers.length > 0
      ? told(`takes packages from addresses of other owners: ${listed(strangers)}`)
      : []),
    ...(scripts.length > 0
      ? [finding('install', change, `brings in packages that run scripts when installed: ${listed(scripts)}`)]
      : []),
  ]
}

const mostListed = 5
const longestListed = 80

function listed(names: string[]): string {
  const told = names.slice(0, mostListed).map((name) => shown(name, longestListed))
  return [...told, ...(names.length > mostListed ? [`${names.length - mostListed} more`] : [])].join(', ')
}

/** What no text of a manifest is, so that one which was not read differs from everything. */
const unread = '\0'

function manifestFindings({ change, before, after }: File): Finding[] {
  const tell = manifestCheckFor(change.path)
  if (!tell || change.blob.before === change.blob.after) return []
  const text = (content: Content) => (content === undefined ? unread : textOf(content))
  return tell(text(before), text(after)).map(({ kind, what }) =>
    finding(kind, change, `${controls[kind].says} ${what}`),
  )
}

function skipFindings({ change, before, after }: File): Finding[] {
  if (!isTest(change.path) || !after) return []
  const more = countSkippedTests(after.toString()) - countSkippedTests(textOf(before) ?? '')
  if (more <= 0) return []
  const places = `${more} more ${more === 1 ? 'place skips' : 'places skip'} tests`
  return [finding('tests_skipped', change, `changes what is measured: ${places}`)]
}

/** Whether people can read what a machine will. */
function readableFindings({ change, before, after, isBinary }: File, moved: Moved): Finding[] {
  const { path, mode, blob } = change
  if (!isFile(mode.after) || blob.before === blob.after || moved.isFromElsewhere(change)) return []
  if (!after)
    return isBinary
      ? [finding('program', change, 'is binary and was not checked: it may be a program')]
      : [finding('hidden_text', change, 'was not checked: it or the change is too large')]
  const binary = binaryOf(path, after)
  const now = mode.before === '000000' ? '' : ', and was changed'
  if (binary)
    return [finding(binary.kind, change, `is ${binary.what} of ${bytesInWords(after.length)}${now}`)]
  const { hidden, lookalikes } = oddCharacters(textOf(before) ?? '', after.toString(), path)
  return [
    ...(hidden.count > 0
      ? [finding('hidden_text', change, `has invisible characters: ${placesInWords(hidden)}`)]
      : []),
    ...(lookalikes.count > 0
      ? [finding('lookalike_text', change, `has words with look-alike letters: ${placesInWords(lookalikes)}`)]
      : []),
  ]
}

function bytesInWords(bytes: number): string {
  if (bytes >= 100_000) return megabytes(bytes)
  return bytes >= 1_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${bytes} bytes`
}

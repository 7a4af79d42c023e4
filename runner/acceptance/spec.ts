import { createHash } from 'node:crypto'
import { coveredBy, foldedPath } from '@signalbox/contract/denied-paths.ts'
import { anyRecordOf } from '@signalbox/contract/shapes.ts'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'

/** What a run is measured by: files, and the command that runs them. Paths are relative to the spec's own folder. */
export interface Spec {
  command: string
  files: ReadonlyMap<string, Buffer>
  /** Of several repositories, the one that it is for; left out: the first. */
  repository?: string
}

/** The spec cannot be used; the message says why, so that its author can fix it. */
export class SpecError extends Error {}

export const specFolder = (storyKey: string) => `.kanman/acceptance/${storyKey}`

/** The files by their whole paths, as the diff guard wants to know them. */
export const placedFiles = (folder: string, { files }: Pick<Spec, 'files'>): Map<string, Buffer> =>
  new Map([...files].map(([path, content]) => [`${folder}/${path}`, content]))

const mostFiles = 100
export const mostOfAFile = 1_000_000
export const mostOfAll = 5_000_000

export const Manifest = Type.Object({
  command: Type.String({ minLength: 1, maxLength: 2_000 }),
  files: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: mostFiles }),
  repository: Type.Optional(Type.String({ maxLength: 200 })),
})
export type Manifest = Static<typeof Manifest>

const Packed = anyRecordOf(Type.String())

/** One JSON text, the same for the same files; its hash is the pin. */
export function packSpec({ files }: Pick<Spec, 'files'>): { text: string; pin: string } {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify(
    Object.fromEntries(sorted.map(([path, content]) => [path, content.toString('base64')])),
  )
  return { text, pin: hashOf(text) }
}

export function unpackSpec(text: string, pin: string): Map<string, Buffer> {
  if (hashOf(text) !== pin) throw new SpecError('The acceptance spec is not the one that was pinned.')
  const packed: unknown = JSON.parse(text)
  if (!Value.Check(Packed, packed)) throw new SpecError('The pinned acceptance spec cannot be read.')
  checkPaths(Object.keys(packed))
  return new Map(Object.entries(packed).map(([path, content]) => [path, Buffer.from(content, 'base64')]))
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Names that mean the same on every system, and stay where they are put. */
export function checkPaths(paths: string[]): void {
  for (const path of paths) {
    const names = path.split('/')
    const isSound =
      path.isWellFormed() &&
      !/[\p{C}\\:]|~\d/u.test(path) &&
      names.every((name) => name !== '' && !/^[. ]+$|[. ]$/.test(name)) &&
      coveredBy(names, ['.git']).length === 0
    if (!isSound) throw new SpecError(`The spec may not have a file with the name ${JSON.stringify(path)}.`)
  }
  const folded = new Set<string>()
  for (const path of paths) {
    if (folded.has(foldedPath(path)))
      throw new SpecError(`The spec has two files with the name ${JSON.stringify(path)}.`)
    folded.add(foldedPath(path))
  }
  const within = paths.find((path) =>
    path.split('/').some((_, at, names) => at > 0 && folded.has(foldedPath(names.slice(0, at).join('/')))),
  )
  if (within)
    throw new SpecError(`${JSON.stringify(within)} is inside a path that is itself a file of the spec.`)
}

import path from 'node:path'
import { HeldFolder } from '../disk/held-folder.ts'
import type { HostPrograms } from './host-programs.ts'

/**
 * What is in a box in the place of the machine's own programs: the unpacked files of an image, which are never
 * written to.
 */
export interface ImageRoot {
  /** `ghcr.io/acme/ci@sha256:…` */
  name: string
  folder: string
  /** What the image sets for whatever runs in it, its PATH among it. */
  environment: Readonly<Record<string, string>>
  /** What of the machine's own programs comes along. */
  brought: HostPrograms
}

/** More than any image has at one level that something of ours is mounted below. */
const mostNames = 500

/** There are so many files at one level of it that a box cannot be told about each. */
export class TooManyNames extends Error {}

/**
 * An image as arguments of bubblewrap: each of its folders and files read-only where it belongs, and nothing at
 * `points`, where something of ours will be. A folder that has a point somewhere below it is shown by what lies in it,
 * so that there is room for the point; and where the image has a link on the way to a point, the link is left out. So
 * the way to whatever is mounted afterwards leads through folders that bubblewrap itself has made: an image that calls
 * `/home` a link to somewhere else does not decide where things of the machine are put.
 */
export function imageMounts(root: string, points: readonly string[]): string[] {
  using held = HeldFolder.open(root)
  return mountsIn(held, root, '/', points)
}

function mountsIn(held: HeldFolder, root: string, at: string, points: readonly string[]): string[] {
  const names = held.list(at === '/' ? '.' : at.slice(1))
  if (names.length > mostNames) throw new TooManyNames(`There are more than ${mostNames} names in ${at}.`)
  return names
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, kind }) => {
      const inside = path.posix.join(at, name)
      if (points.includes(inside)) return []
      if (points.some((point) => point.startsWith(`${inside}/`)))
        return kind === 'folder' ? mountsIn(held, root, inside, points) : []
      if (kind === 'link') return linkAt(held, inside)
      return kind === 'other' ? [] : ['--ro-bind', path.join(root, inside), inside]
    })
}

function linkAt(held: HeldFolder, inside: string): string[] {
  const target = held.target(inside.slice(1))
  return target === null ? [] : ['--symlink', target, inside]
}

/**
 * A file of the image that is no link, and that no link leads to; null: there is none, or it is too large to be one.
 */
export function fileIn(root: string, name: string): string | null {
  using held = HeldFolder.open(root)
  const found = held.read(name, 1_000_000)
  return 'bytes' in found ? found.bytes.toString('utf8') : null
}

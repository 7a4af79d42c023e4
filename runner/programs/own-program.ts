import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { writeAtomically } from '../disk/write-atomically.ts'
import { type OwnProgram, texts } from './texts.ts'

const sources = path.join(import.meta.dirname, '..')

/** The text of a program of ours that goes into a box. */
export const textOf = (name: OwnProgram): string =>
  texts ? texts[name] : readFileSync(path.join(sources, name), 'utf8')

let parent: string | null = null
const unpacked = new Map<OwnProgram, string>()

/** Where programs are written out to when they are part of this file: below the runner's own folder. */
export function unpackBelow(data: string): void {
  parent = path.join(data, 'programs')
}

/** Where a program of ours is on the disk, to be bound into a box. */
export function fileOf(name: OwnProgram): string {
  if (!texts) return path.join(sources, name)
  const known = unpacked.get(name)
  if (known) return known
  const file = unpack(name, texts[name])
  unpacked.set(name, file)
  return file
}

/** By its content: two versions of the runner that share a folder do not write over each other's. */
function unpack(name: OwnProgram, text: string): string {
  const above = parent ?? mkdtempSync(path.join(tmpdir(), 'signalbox-runner-'))
  const folder = path.join(above, createHash('sha256').update(text).digest('hex').slice(0, 16))
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, path.basename(name))
  writeAtomically(file, text)
  // The box may belong to another user.
  chmodSync(file, 0o644)
  return file
}

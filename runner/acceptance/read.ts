import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import path from 'node:path'
import { Value } from 'typebox/value'
import { checkPaths, Manifest, mostOfAFile, mostOfAll, type Spec, SpecError } from './spec.ts'

/** The spec that an agent has left in its result folder. Nothing of it is believed: no link, no way out, no surprise. */
export async function readSpec(resultFolder: string): Promise<Spec> {
  const folder = path.join(resultFolder, 'acceptance')
  const manifest = await manifestIn(folder)
  checkPaths(manifest.files)
  const files = new Map<string, Buffer>()
  let bytes = 0
  for (const name of manifest.files) {
    const content = await readInside(folder, name)
    bytes += content.length
    if (bytes > mostOfAll) throw new SpecError(`The spec is larger than ${mostOfAll / 1_000_000} MB.`)
    files.set(name, content)
  }
  return { command: manifest.command.trim(), files }
}

async function manifestIn(folder: string): Promise<Manifest> {
  const text = (await readInside(folder, 'manifest.json')).toString()
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch {
    throw new SpecError('acceptance/manifest.json is no JSON.')
  }
  if (!Value.Check(Manifest, manifest)) {
    const [first] = Value.Errors(Manifest, manifest)
    const where = first?.instancePath.split('/').slice(1).join('.') || 'it'
    throw new SpecError(`acceptance/manifest.json: ${where} ${first?.message}.`)
  }
  if (manifest.command.trim() === '') throw new SpecError('acceptance/manifest.json names no command.')
  return manifest
}

async function readInside(folder: string, name: string): Promise<Buffer> {
  const shown = `acceptance/${name}`
  const parts = name.split('/')
  for (let at = 0; at < parts.length; at += 1) {
    const above = await lstat(path.join(folder, ...parts.slice(0, at))).catch(() => null)
    if (!above?.isDirectory()) throw new SpecError(`There is no file ${shown} in the result folder.`)
  }
  const handle = await open(
    path.join(folder, name),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') throw new SpecError(`${shown} is a link; the spec is made of files.`)
    throw new SpecError(`There is no file ${shown} in the result folder.`)
  })
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new SpecError(`${shown} is no file.`)
    if (found.size > mostOfAFile)
      throw new SpecError(`${shown} is larger than ${mostOfAFile / 1_000_000} MB.`)
    const content = Buffer.alloc(found.size)
    const { bytesRead } = await handle.read(content, 0, found.size, 0)
    return content.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

import { Value } from 'typebox/value'
import { HeldFolder } from '../disk/held-folder.ts'
import { checkPaths, Manifest, mostOfAFile, mostOfAll, type Spec, SpecError } from './spec.ts'

/** The spec that an agent has left in its result folder. Nothing of it is believed: no link, no way out, no surprise. */
export function readSpec(resultFolder: string): Spec {
  using results = HeldFolder.open(resultFolder)
  const manifest = manifestIn(results)
  checkPaths(manifest.files)
  const files = new Map<string, Buffer>()
  let bytes = 0
  for (const name of manifest.files) {
    const content = readInside(results, name)
    bytes += content.length
    if (bytes > mostOfAll) throw new SpecError(`The spec is larger than ${mostOfAll / 1_000_000} MB.`)
    files.set(name, content)
  }
  const { command, repository } = manifest
  return { command: command.trim(), files, ...(repository === undefined ? {} : { repository }) }
}

function manifestIn(results: HeldFolder): Manifest {
  const text = readInside(results, 'manifest.json').toString()
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch {
    throw new SpecError('acceptance/manifest.json is not JSON.')
  }
  if (!Value.Check(Manifest, manifest)) {
    const [first] = Value.Errors(Manifest, manifest)
    const where = first?.instancePath.split('/').slice(1).join('.') || 'it'
    throw new SpecError(`acceptance/manifest.json: ${where} ${first?.message}.`)
  }
  if (manifest.command.trim() === '') throw new SpecError('acceptance/manifest.json has no command.')
  return manifest
}

function readInside(results: HeldFolder, name: string): Buffer {
  const shown = `acceptance/${name}`
  const found = results.read(shown, mostOfAFile)
  if ('bytes' in found) return found.bytes
  throw new SpecError(
    {
      missing: `There is no file ${shown} in the result folder.`,
      link: `${shown} is a link; the spec is made of files.`,
      'not a file': `${shown} is not a file.`,
      'too large': `${shown} is larger than ${mostOfAFile / 1_000_000} MB.`,
    }[found.none],
  )
}

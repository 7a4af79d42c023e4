import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bundle } from '../bundle.ts'

/** A runner as it is installed: one file, with what it puts into boxes beside it. Returns the command that starts it. */
export async function bundledRunner(folder: string, entry: string): Promise<string> {
  const file = path.join(folder, `${path.basename(entry, '.ts')}.mjs`)
  await bundle(entry, file)
  const root = path.join(import.meta.dirname, '..')
  for (const part of ['agents', 'git'])
    await cp(path.join(root, part, 'inside'), path.join(folder, 'inside'), { recursive: true })
  await cp(path.join(root, 'box', 'forward.mjs'), path.join(folder, 'forward.mjs'))
  return `'${process.execPath}' '${file}'`
}

export const bundleFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'bundled-'))

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bundle } from '../bundle.ts'

/** A runner as it is installed: one file. Returns the command that starts it. */
export async function bundledRunner(folder: string, entry: string): Promise<string> {
  const file = path.join(folder, `${path.basename(entry, '.ts')}.mjs`)
  await bundle(entry, file)
  return `'${process.execPath}' '${file}'`
}

export const bundleFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'bundled-'))

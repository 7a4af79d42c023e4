import { chmod } from 'node:fs/promises'
import path from 'node:path'
import { rolldown } from 'rolldown'

/** One file with everything in it, which node runs as it is. */
export async function bundle(entry: string, file: string): Promise<void> {
  const bundled = await rolldown({
    cwd: import.meta.dirname,
    input: path.join(import.meta.dirname, entry),
    platform: 'node',
    treeshake: true,
  })
  await bundled.write({
    file,
    format: 'esm',
    banner: '#!/usr/bin/env node',
    codeSplitting: false,
    minify: false,
  })
  await chmod(file, 0o755)
}

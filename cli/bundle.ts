import path from 'node:path'
import { rolldown } from 'rolldown'

/** The commands of people in one file, for any Node that is still maintained. */
export async function bundleCli(file: string): Promise<void> {
  const bundled = await rolldown({
    cwd: import.meta.dirname,
    input: path.join(import.meta.dirname, 'main.ts'),
    platform: 'node',
    transform: { target: 'node20' },
  })
  await bundled.write({ file, format: 'esm', codeSplitting: false, minify: false })
}

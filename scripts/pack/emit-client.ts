import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const root = path.join(import.meta.dirname, '..', '..')

/** The client as JavaScript with its types beside it, file by file, as a debugger shows it. */
export async function emitClient(folder: string): Promise<void> {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = {
    ...{ target: 'es2022', module: 'nodenext', lib: 'es2023,dom,dom.asynciterable', types: 'node' },
    ...{ outDir: folder, rootDir: path.join(root, 'client') },
  }
  const flags = ['strict', 'declaration', 'rewriteRelativeImportExtensions', 'verbatimModuleSyntax']
  await promisify(execFile)(process.execPath, [
    tsc,
    '--ignoreConfig',
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ...flags.map((flag) => `--${flag}`),
    path.join(root, 'client', 'index.ts'),
  ])
  // Types name the sources they were made from.
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.d.ts'))) {
    const text = await readFile(path.join(folder, file), 'utf8')
    await writeFile(path.join(folder, file), text.replaceAll(/from '(\.\/[\w-]+)\.ts'/g, "from '$1.js'"))
  }
  await rm(path.join(folder, 'tsconfig.tsbuildinfo'), { force: true })
}

import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const web = import.meta.dirname
const built = path.join(web, 'dist')
const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

/**
 * Builds the web app when its sources have changed since the last time. `start`, `demo` and `test` begin with it, so
 * no one serves yesterday's app. Speaks on stderr: stdout belongs to the command that follows.
 */
const stamp = await stampOf(['index.html', 'package.json', 'vite.config.ts', 'public', 'src'])
if ((await readFile(path.join(built, '.stamp'), 'utf8').catch(() => '')) !== stamp) await buildApp()
// The folder was made for its maker alone; the server may run as another account.
await chmod(built, 0o755).catch(() => {})

async function stampOf(parts: string[]): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path.join(web, '..', 'package-lock.json')))
  for (const part of parts)
    for (const file of await filesIn(part))
      hash.update(`${file}\0`).update(await readFile(path.join(web, file)))
  return hash.digest('hex')
}

async function filesIn(part: string): Promise<string[]> {
  const entries = await readdir(path.join(web, part), { recursive: true, withFileTypes: true }).catch(
    () => null,
  )
  if (!entries) return [part]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(web, path.join(entry.parentPath, entry.name)))
    .sort()
}

async function buildApp(): Promise<void> {
  const started = performance.now()
  process.stderr.write('Building the web app. This is done once for each change of its sources.\n')
  // Beside its place and then moved there: a server that starts during it finds the whole of one build.
  const fresh = await mkdtemp(path.join(web, 'dist-'))
  try {
    const { build } = await import('vite')
    await build({
      configFile: path.join(web, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true, chunkSizeWarningLimit: 1_000 },
    })
    await compressAll(fresh)
    await writeFile(path.join(fresh, '.stamp'), stamp)
    await rm(built, { recursive: true, force: true })
    await rename(fresh, built)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  process.stderr.write(`The web app was built in ${Math.ceil((performance.now() - started) / 1000)} s.\n`)
}

/** Compressed once, as well as it goes, instead of at every request. */
async function compressAll(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((file) =>
    /\.(js|css|svg|html|webmanifest)$/.test(file),
  )
  await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(path.join(folder, file))
      const br = await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
      await writeFile(path.join(folder, `${file}.br`), br)
      await writeFile(path.join(folder, `${file}.gz`), await gzipped(bytes, { level: 9 }))
    }),
  )
}

import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { libraries, librariesFolder } from './quick-start.ts'

/** Makes a few files of the thousand that some libraries come as, when npm has installed others since the last time. */
if (!existsSync(librariesFolder)) await bundle()
// The folder was made for its maker alone; the server may run as another account.
await chmod(librariesFolder, 0o755).catch(() => {})

async function bundle(): Promise<void> {
  const { rolldown } = await import('rolldown')
  // Beside their place and then moved there, as a whole; a process that makes them at the same moment makes the same ones.
  await mkdir(path.dirname(librariesFolder), { recursive: true })
  const fresh = await mkdtemp(`${librariesFolder}.`)
  try {
    const input = Object.fromEntries(
      Object.entries(libraries).map(([name, file]) => [path.parse(file).name, name]),
    )
    // The driver is one that we load ourselves, too.
    const bundled = await rolldown({ cwd: import.meta.dirname, input, platform: 'node', external: ['pg'] })
    await bundled.write({
      dir: fresh,
      entryFileNames: '[name].js',
      // Their text is kept in memory. Names stay, so that a stack can be read.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    })
    await rename(fresh, librariesFolder)
  } catch (error) {
    if (!existsSync(librariesFolder)) throw error
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

import { createHash } from 'node:crypto'
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { docs, renderManual } from './manual.ts'

const here = import.meta.dirname
const web = path.join(here, '..')
const built = path.join(web, 'dist-manual')

/** Renders the manual that the server shows at /docs, when a page or the way it looks has changed since the last time. */
const stamp = await stampOf()
if ((await readFile(path.join(built, '.stamp'), 'utf8').catch(() => '')) !== stamp) await buildManual()
// The folder was made for its maker alone; the server may run as another account.
await chmod(built, 0o755).catch(() => {})

async function stampOf(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path.join(web, '..', 'package-lock.json')))
  const pages = (await readdir(docs, { recursive: true })).filter((file) => file.endsWith('.md'))
  const own = (await readdir(here)).filter((file) => /(?<!\.test)\.ts$|\.css$|\.js$/.test(file))
  const files = [
    ...pages.map((file) => path.join(docs, file)),
    ...own.map((file) => path.join(here, file)),
    path.join(web, 'src', 'style.css'),
  ]
  for (const file of files.sort()) hash.update(`${path.relative(web, file)}\0`).update(await readFile(file))
  return hash.digest('hex')
}

async function buildManual(): Promise<void> {
  // Beside its place and then moved there: a server that starts in the meantime finds the whole of one build.
  const fresh = await mkdtemp(path.join(web, 'dist-manual-'))
  try {
    await writeFile(path.join(fresh, 'manual.json'), JSON.stringify(await renderManual()))
    await writeFile(path.join(fresh, 'style.css'), await styles())
    await cp(path.join(here, 'theme.js'), path.join(fresh, 'theme.js'))
    await cp(
      fileURLToPath(import.meta.resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2')),
      path.join(fresh, 'geist.woff2'),
    )
    await writeFile(path.join(fresh, '.stamp'), stamp)
    await rm(built, { recursive: true, force: true })
    await rename(fresh, built)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** The app's two palettes, so that there is one list of colours, and the manual's own rules. */
async function styles(): Promise<string> {
  const app = await readFile(path.join(web, 'src', 'style.css'), 'utf8')
  const [light] = /^:root \{.*?^\}/ms.exec(app)!
  const [dark] = /^\[data-theme="dark"\] \{.*?^\}/ms.exec(app)!
  // Before theme.js has run, and where scripts are off, the system decides.
  const unchosen = dark.replace('[data-theme="dark"]', ':root:not([data-theme])')
  return [
    light,
    dark,
    `@media (prefers-color-scheme: dark) {\n${unchosen}\n}`,
    await readFile(path.join(here, 'style.css'), 'utf8'),
  ].join('\n')
}

import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import {
  access,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import path from 'node:path'
import { copyCluster } from '../server/infra/db/embedded.ts'

const root = path.join(import.meta.dirname, '..')
const templates = path.join(root, 'node_modules', '.cache', 'demo')

/**
 * Fills a data folder that is new or empty with a copy of one that was made before, which takes a fraction of the time.
 * The copies share a secret key; they are demos, and they stay on this machine.
 */
export async function copyTemplate(dataDir: string): Promise<void> {
  if ((await readdir(dataDir).catch(() => [])).length > 0 || !(await canKeep())) return
  const template = await findOrMake()
  await mkdir(dataDir, { recursive: true })
  await copyFile(path.join(template, 'secret.key'), path.join(dataDir, 'secret.key'))
  await copyCluster(template, dataDir)
}

/** The code may lie on a disk that cannot be written, or belong to somebody else. */
const canKeep = () =>
  mkdir(templates, { recursive: true })
    .then(() => access(templates, constants.W_OK))
    .then(
      () => true,
      () => false,
    )

/** One for everything that shapes it, and one a day: the demo tells of the days before it was made. */
async function findOrMake(): Promise<string> {
  const day = new Date().toISOString().slice(0, 10)
  // PostgreSQL reads only what belongs to its own account.
  const template = path.join(templates, `${day}-${process.getuid?.() ?? 0}-${await digestOfSources()}`)
  if (existsSync(template)) return template
  await removeOld()
  // Whoever makes it at the same moment makes another one; the first that is whole stays.
  const unfinished = await mkdtemp(`${template}.`)
  try {
    // What makes one is loaded only for that.
    const { makeData } = await import('./load/make-data.ts')
    await makeData(unfinished)
    await rename(unfinished, template)
  } catch (error) {
    await remove(unfinished)
    if (!existsSync(template)) throw error
  }
  return template
}

/** The data, what writes it, and the versions of what that stands on, PostgreSQL among them. */
async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path.join(root, 'package-lock.json')))
  for (const folder of ['contract', 'demo', 'server']) {
    const files = (await readdir(path.join(root, folder), { recursive: true }))
      .filter((file) => /\.(ts|sql|diff)$/.test(file) && !/node_modules|\.test\.ts$/.test(file))
      .sort()
    const texts = await Promise.all(files.map((file) => readFile(path.join(root, folder, file))))
    files.forEach((file, index) => {
      hash.update(`${folder}/${file}\0`).update(texts[index]!)
    })
  }
  return hash.digest('hex').slice(0, 16)
}

/** What others may just be copying or making stays. A database that a killed maker left ends with its folder. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(templates)) {
    const folder = path.join(templates, name)
    const { mtimeMs } = await stat(folder)
    if (Date.now() - mtimeMs > 3_600_000) await remove(folder)
  }
}

/** With its cluster, which may lie elsewhere. */
async function remove(folder: string): Promise<void> {
  const cluster = await realpath(path.join(folder, 'postgres')).catch(() => null)
  for (const one of [cluster, folder]) if (one) await rm(one, { recursive: true, force: true })
}

// Run by itself before the acceptance tests: it is made once, not by several files at the same moment.
if (import.meta.main && (await canKeep())) await findOrMake()

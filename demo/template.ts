import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { constants, existsSync, readdirSync, readFileSync } from 'node:fs'
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
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { copyCluster } from '../server/infra/db/embedded.ts'

const root = path.join(import.meta.dirname, '..')

interface Kept {
  /** Where they are. */
  templates: string
  /** Fills a folder. */
  make: (folder: string) => Promise<void>
}

const kept: Kept = { templates: path.join(root, 'node_modules', '.cache', 'demo'), make: makeInChild }

/**
 * Fills a data folder that is new or empty with a copy of one that was made before, which takes a fraction of the time.
 * The copies share a secret key; they are demos, and they stay on this machine. `begun` is called once others do the work.
 */
export async function copyTemplate(
  dataDir: string,
  begun: () => void = () => {},
  { templates, make }: Kept = kept,
): Promise<void> {
  if ((await readdir(dataDir).catch(() => [])).length > 0 || !(await canKeep(templates))) return
  const template = await findOrMake({
    templates,
    make(folder) {
      const making = make(folder)
      begun()
      return making
    },
  })
  await mkdir(dataDir, { recursive: true })
  await copyFile(path.join(template, 'secret.key'), path.join(dataDir, 'secret.key'))
  await copyCluster(template, dataDir, begun)
}

/** The code may be on a read-only disk, or belong to another user. */
const canKeep = (templates: string) =>
  mkdir(templates, { recursive: true })
    .then(() => access(templates, constants.W_OK))
    .then(
      () => true,
      () => false,
    )

/** One for everything that shapes it, and one a day: the demo is about the days before it was made. */
async function findOrMake({ templates, make }: Kept): Promise<string> {
  const day = new Date().toISOString().slice(0, 10)
  // PostgreSQL reads only what belongs to its own account.
  const template = path.join(templates, `${day}-${process.getuid?.() ?? 0}-${digestOfSources(root)}`)
  // Whole from the moment it is there: another start may just have made it.
  if (existsSync(template)) {
    if (await isUsable(template)) return template
    await remove(template)
  }
  await removeOld(templates)
  // A process that makes it at the same moment makes its own; the first complete one stays.
  const unfinished = await mkdtemp(`${template}.`)
  try {
    await make(unfinished)
    await writeFile(path.join(unfinished, ownerFile), await ownerOf(unfinished))
    await rename(unfinished, template)
  } catch (error) {
    await remove(unfinished)
    if (!existsSync(template)) throw error
  }
  return template
}

/** Beside the cluster: whose it was when it was made. */
const ownerFile = 'owner'

const ownerOf = async (template: string) =>
  `${(await stat(path.join(template, 'postgres', 'PG_VERSION'))).uid}`

/**
 * PostgreSQL reads only files of its own account. In a copied checkout the template belongs to the person who copied
 * it, or lacks the cluster, which is kept elsewhere when root made it: then it is made again.
 */
async function isUsable(template: string): Promise<boolean> {
  try {
    return (await readFile(path.join(template, ownerFile), 'utf8')) === (await ownerOf(template))
  } catch {
    return false
  }
}

/** In a process of its own: what seeding takes, some eighty megabytes, is not kept by the one that serves. */
async function makeInChild(folder: string): Promise<void> {
  const program = path.join(import.meta.dirname, 'make-data.ts')
  // It hears by its end of the pipe that we are gone, whichever way.
  const child = spawn(process.execPath, [...process.execArgv, program, folder], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The demo data could not be created (${signal ?? `exit code ${code}`}).`)
}

/**
 * Digest of the data, the code that writes it and what both depend on: the npm versions, PostgreSQL's with its
 * platform.
 */
export function digestOfSources(root: string, platform = `${process.platform} ${process.arch}`): string {
  const hash = createHash('sha256')
    .update(`${platform}\0`)
    .update(readFileSync(path.join(root, 'package-lock.json')))
  for (const folder of ['contract', 'demo', 'server']) {
    const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|sql|diff)$/.test(file) && !/node_modules|\.test\.ts$/.test(file))
      .sort()
    // One after the other and not by promises: it is on the way of every start, and takes a quarter of the time.
    for (const file of files)
      hash.update(`${folder}/${file}\0`).update(readFileSync(path.join(root, folder, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** What others may just be copying or making stays. A database that a killed maker left ends with its folder. */
async function removeOld(templates: string): Promise<void> {
  for (const name of await readdir(templates)) {
    const folder = path.join(templates, name)
    // Another start may remove it at the same moment.
    const made = await stat(folder).catch(() => null)
    if (made && Date.now() - made.mtimeMs > 3_600_000) await remove(folder)
  }
}

/** With its cluster, which may lie elsewhere. */
async function remove(folder: string): Promise<void> {
  const cluster = await realpath(path.join(folder, 'postgres')).catch(() => null)
  for (const one of [cluster, folder]) if (one) await rm(one, { recursive: true, force: true })
}

// Run on its own before the acceptance tests, so that it is made once, not by several files at the same time.
if (import.meta.main && (await canKeep(kept.templates))) await findOrMake(kept)

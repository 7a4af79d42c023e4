import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Connection } from '../../infra/db/embedded.ts'
import { until } from '../until.ts'

/** The newest of Debian's; the embedded PostgreSQL comes without what makes replicas. */
const folder = '/usr/lib/postgresql'
const installed = existsSync(folder)
  ? readdirSync(folder).toSorted((one, other) => Number(other) - Number(one))
  : []
const programs =
  process.env.POSTGRES_BIN ??
  installed
    .map((version) => path.join(folder, version, 'bin'))
    .find((bin) => existsSync(path.join(bin, 'pg_basebackup')))

const account = process.getuid?.() === 0 ? accountOf('postgres') : null

/** Why there can be none here; false when there can. */
export const noStreamingReplica: string | false =
  programs && account !== undefined
    ? false
    : 'PostgreSQL with pg_basebackup is not installed here (Debian: apt-get install postgresql, or POSTGRES_BIN).'

/** A primary and a replica that streams from it, both real and on this machine. */
export class StreamingReplica {
  #folder = ''
  readonly #servers: ChildProcess[] = []
  readonly #ports: number[] = []

  /**
   * Returns how the same empty database is reached on both, whose owner can create roles and nothing more, and how the
   * superuser of the primary gets in.
   */
  async open(): Promise<{ primary: Connection; replica: Connection; superuser: Connection }> {
    this.#folder = await mkdtemp(path.join(tmpdir(), 'signalbox-replica-'))
    if (account) await chown(this.#folder, account.uid, account.gid)
    await chmod(this.#folder, 0o755)
    const [primary, replica] = [path.join(this.#folder, 'primary'), path.join(this.#folder, 'replica')]
    await run('initdb', ['-D', primary, '-U', superuser, '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'])
    await appendFile(
      path.join(primary, 'postgresql.conf'),
      // Nothing here has to survive a power cut.
      "fsync = off\nfull_page_writes = off\nmax_connections = 100\nmax_standby_streaming_delay = '1s'\n",
    )
    await this.#start(primary)
    await this.#asSuperuser(0, `create role ${owner} login createrole`)
    await this.#asSuperuser(0, `create database ${name} owner ${owner}`)
    await run('pg_basebackup', [
      ...['-h', '127.0.0.1', '-p', String(this.#ports[0]), '-U', superuser],
      ...['-D', replica, '-R', '-X', 'stream', '-c', 'fast', '-N'],
    ])
    await this.#start(replica)
    await this.caughtUp()
    const [there, elsewhere] = [this.#connection(0), this.#connection(1)]
    return { primary: there, replica: elsewhere, superuser: { ...there, user: superuser } }
  }

  /** From now on the replica shows what it has, and no more. */
  async pause(): Promise<void> {
    await this.#asSuperuser(1, 'select pg_wal_replay_pause()')
    await until('it is paused', async () => {
      const [row] = await this.#asSuperuser(1, 'select pg_get_wal_replay_pause_state() as state')
      return row!.state === 'paused'
    })
  }

  async resume(): Promise<void> {
    await this.#asSuperuser(1, 'select pg_wal_replay_resume()')
  }

  /** Returns when the replica has everything that the primary has now. */
  async caughtUp(): Promise<void> {
    const [row] = await this.#asSuperuser(0, 'select pg_current_wal_flush_lsn()::text as at')
    await until('the replica has caught up', async () => {
      const [found] = await this.#asSuperuser(
        1,
        `select pg_last_wal_replay_lsn() >= '${row!.at}' as "isThere"`,
      )
      return found!.isThere === true
    })
  }

  /** Of their first processes. */
  pids(): { primary: number; replica: number } {
    const [primary, replica] = this.#servers
    return { primary: primary!.pid!, replica: replica!.pid! }
  }

  async stopReplica(): Promise<void> {
    await ended(this.#servers[1]!)
  }

  async startReplica(): Promise<void> {
    await this.#start(path.join(this.#folder, 'replica'), 1)
    await this.caughtUp()
  }

  async close(): Promise<void> {
    for (const server of this.#servers.toReversed()) await ended(server)
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true })
  }

  #connection(place: number): Connection {
    return { host: '127.0.0.1', port: this.#ports[place]!, user: owner, password: '', database: name }
  }

  async #start(data: string, place = this.#servers.length): Promise<void> {
    this.#ports[place] ??= await freePort()
    const sockets = path.join(this.#folder, `sockets-${place}`)
    await mkdir(sockets, { recursive: true })
    if (account) await chown(sockets, account.uid, account.gid)
    const args = ['-D', data, '-k', sockets, '-h', '127.0.0.1', '-p', String(this.#ports[place])]
    this.#servers[place] = spawn(path.join(programs!, 'postgres'), args, {
      ...account,
      cwd: '/',
      stdio: 'ignore',
    })
    await until('PostgreSQL answers', () =>
      this.#asSuperuser(place, 'select').then(
        () => true,
        () => false,
      ),
    )
  }

  async #asSuperuser(place: number, text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ ...this.#connection(place), user: superuser, database: 'postgres' })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query(text).finally(() => client.end())
    return rows
  }
}

const superuser = 'postgres'
const owner = 'signalbox_owner'
const name = 'signalbox'

const run = (program: string, args: string[]) =>
  promisify(execFile)(path.join(programs!, program), args, { ...account, cwd: '/' })

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exit = once(server, 'exit')
  server.kill('SIGINT')
  await exit
}

/** PostgreSQL refuses to run as root. */
function accountOf(user: string): { uid: number; gid: number } | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, user], { encoding: 'utf8' }))
  return uid!.status === 0 ? { uid: Number(uid!.stdout), gid: Number(gid!.stdout) } : undefined
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import type { Connection } from '../../infra/db/embedded.ts'
import { until } from '../until.ts'

const program = process.env.PGBOUNCER_PATH ?? 'pgbouncer'
const inSystemFolders = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

/** Why it cannot be started here; false when it can. */
export const noPgBouncer: string | false =
  spawnSync(program, ['--version'], { env: inSystemFolders }).status === 0
    ? false
    : 'PgBouncer is not installed here (Debian: apt-get install pgbouncer).'

/** A real PgBouncer that pools by transaction, before a database. Few sessions there, so that all callers share them. */
export class PgBouncer {
  readonly sessions = 6
  #child: ChildProcess | undefined
  #folder = ''

  /** Returns how databases are reached through it. */
  async open({ host, port, user, password, database }: Connection): Promise<Connection> {
    this.#folder = await mkdtemp(path.join(tmpdir(), 'signalbox-pgbouncer-'))
    const ours = await freePort()
    const users = path.join(this.#folder, 'users')
    await writeFile(users, `"${user}" "${password}"\n`)
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: ours,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: users,
      pool_mode: 'transaction',
      default_pool_size: this.sessions,
      max_client_conn: 500,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
    const file = path.join(this.#folder, 'pgbouncer.ini')
    await writeFile(file, `[databases]\n* = host=${host} port=${port}\n[pgbouncer]\n${lines.join('\n')}\n`)
    await chmod(this.#folder, 0o755)
    // It refuses to run as root, and reaches the socket as the account that the database runs as.
    const account = userInfo().uid === 0 ? ['-u', await ownerOf(host)] : []
    this.#child = spawn(program, ['-q', ...account, file], { env: inSystemFolders, stdio: 'ignore' })
    await until('PgBouncer answers', () => answers(ours))
    return { host: '127.0.0.1', port: ours, user, password, database }
  }

  async close(): Promise<void> {
    if (this.#child && this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await ended
    }
    await rm(this.#folder, { recursive: true, force: true })
  }
}

async function ownerOf(folder: string): Promise<string> {
  const { uid } = await stat(folder)
  return spawnSync('id', ['-nu', String(uid)], { encoding: 'utf8' }).stdout.trim()
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

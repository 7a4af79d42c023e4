import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { until } from '../until.ts'
import type { ManualFiles } from './manual-files.ts'
import { Program, postgresAccount, withDescendants } from './program.ts'

const run = promisify(execFile)

export const names = ['db1', 'db2'] as const
export type Name = (typeof names)[number]

const machines = { db1: '10.0.0.31', db2: '10.0.0.32' }

interface Member {
  name: Name
  role: string
  state: string
}

/** Two PostgreSQL with synchronous replication, as Patroni keeps them, and its etcd. */
export class DatabasePair {
  readonly #files: ManualFiles
  readonly #folder: string
  readonly #programs: Program[] = []
  readonly #patroni = {} as Record<Name, Program>
  readonly #as = postgresAccount()

  readonly #isStrict: boolean

  constructor(files: ManualFiles, { folder, isStrict }: { folder: string; isStrict: boolean }) {
    this.#files = files
    this.#folder = folder
    this.#isStrict = isStrict
  }

  async start(): Promise<void> {
    // The test's folder is its own; these programs run under another account.
    await chmod(this.#folder, 0o755)
    this.#start(
      'etcd',
      this.#files
        .block('etcd --name', { '/var/lib/etcd/signalbox': path.join(this.#folder, 'etcd') })
        .replaceAll('\\\n', '')
        .trim()
        .split(/\s+/),
    )
    for (const name of names) await this.#startPatroni(name)
    await this.healthy()
  }

  async #startPatroni(name: Name): Promise<void> {
    const folder = path.join(this.#folder, name)
    await mkdir(folder)
    if (this.#as) await chown(folder, this.#as.uid, this.#as.gid)
    const [first, own] = [machines.db1, machines[name]]
    const text = this.#files.block('# /etc/patroni/config.yml', {
      ...{ 'name: db1': `name: ${name}`, [`${first}:`]: `${own}:` },
      '/var/lib/postgresql/15/signalbox': path.join(folder, 'data'),
      '/run/postgresql': folder,
      'synchronous_mode_strict: true': `synchronous_mode_strict: ${this.#isStrict}`,
    })
    await writeFile(this.#configOf(name), text)
    this.#patroni[name] = this.#start(name, ['patroni', this.#configOf(name)])
  }

  #configOf(name: Name): string {
    return path.join(this.#folder, `${name}.yml`)
  }

  #start(name: string, command: string[]): Program {
    const program = Program.start(name, command, {
      log: path.join(this.#folder, `${name}.log`),
      env: {
        ...{ HOME: path.join(this.#folder, name), LC_ALL: 'C.UTF-8' },
        // Debian's etcd for arm64 wants to be asked for.
        ...(process.arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {}),
      },
      ...(this.#as && name !== 'etcd' ? { as: this.#as } : {}),
    })
    this.#programs.push(program)
    return program
  }

  port(name: Name): number {
    return this.#files.port(`${machines[name]}:5432`)
  }

  superuser(name: Name, database = 'postgres'): pg.ClientConfig {
    return {
      ...{ host: '127.0.0.1', port: this.port(name), user: 'postgres', password: 'change-me-superuser' },
      ...{ database, connectionTimeoutMillis: 1_000 },
    }
  }

  async #members(): Promise<Member[]> {
    for (const name of names) {
      const address = `http://127.0.0.1:${this.#files.port(`${machines[name]}:8008`)}/cluster`
      const answer = fetch(address, { signal: AbortSignal.timeout(1_000) })
      // One that is busy with a failover may not answer in time, or break off.
      const said = await answer
        .then((response) => response.json() as Promise<{ members?: Member[] }>)
        .catch(() => null)
      if (said?.members) return said.members
    }
    return []
  }

  /** Waits until one is the primary and the other its synchronous standby. Returns the primary. */
  async healthy(): Promise<Name> {
    let primary: Name | undefined
    await until('both databases are well', async () => {
      for (const program of this.#programs)
        if (program.hasEnded) throw new Error(`${program.name} has ended; its log is in ${this.#folder}.`)
      const members = await this.#members()
      primary = members.find(({ role }) => role === 'leader')?.name
      return primary !== undefined && members.some(({ role }) => role === 'sync_standby')
    })
    return primary!
  }

  async isPrimary(name: Name): Promise<boolean> {
    const address = `http://127.0.0.1:${this.#files.port(`${machines[name]}:8008`)}/primary`
    const answer = await fetch(address, { signal: AbortSignal.timeout(1_000) }).catch(() => null)
    return answer?.ok === true
  }

  async query(name: Name, ...statements: string[]): Promise<void> {
    const client = new pg.Client(this.superuser(name))
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }

  /** `kill -9` of the server process, as the kernel does when memory is short. */
  async kill(name: Name): Promise<void> {
    process.kill(await this.#postmasterOf(name), 'SIGKILL')
  }

  async #postmasterOf(name: Name): Promise<number> {
    const file = path.join(this.#folder, name, 'data', 'postmaster.pid')
    return Number((await readFile(file, 'utf8')).split('\n')[0])
  }

  /**
   * Its machine stands still: Patroni and PostgreSQL do nothing, and their connections stay open. Returns how its
   * watchdog starts it again, which is how the manual has it: a Patroni that went on where it stood could take its role
   * back.
   */
  async cutOff(name: Name): Promise<() => Promise<void>> {
    const patroni = this.#patroni[name]
    const stopped = [...withDescendants(patroni.pid), ...withDescendants(await this.#postmasterOf(name))]
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    return async () => {
      for (const pid of stopped) killIfThere(pid)
      this.#programs.splice(this.#programs.indexOf(patroni), 1)
      this.#patroni[name] = this.#start(name, ['patroni', this.#configOf(name)])
    }
  }

  async switchOver(from: Name, to: Name): Promise<void> {
    const asked = ['switchover', '--leader', from, '--candidate', to, '--force', 'signalbox']
    await run('patronictl', ['-c', this.#configOf(from), ...asked], {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
  }

  async stop(): Promise<void> {
    // The standby first: the primary waits for it while it stops.
    for (const program of this.#programs.toReversed()) await program.stop()
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with the one that had started it.
  }
}

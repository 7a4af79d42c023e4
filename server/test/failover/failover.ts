import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabasePair } from './database-pair.ts'
import { Haproxy } from './haproxy.ts'
import { findings, prepare, verifyAudit } from './ledger.ts'
import { Load } from './load.ts'
import { ManualFiles } from './manual-files.ts'
import { Nodes } from './nodes.ts'
import { Probe } from './probe.ts'
import { kindOf, Rounds } from './rounds.ts'

/**
 * `npm run test:ha`: two nodes on two PostgreSQL that Patroni looks after, with the files of
 * docs/manual/high-availability.md, under traffic. Kills the primary, switches over, kills a node in the same moment and
 * cuts the primary off, ROUNDS times (20), then holds what was acknowledged against what is there. With
 * `-- --hosts` the nodes are told both databases instead of the proxy before them. KEEP=1 leaves the logs.
 *
 * It needs Debian's etcd-server, patroni, postgresql-15 and haproxy.
 */

/** With `-- --lenient`, a primary without its standby goes on alone. */
const isStrict = !process.argv.includes('--lenient')
const rounds = Number(process.env.ROUNDS ?? 20)
const hasProxy = !process.argv.includes('--hosts')

const print = (line: string) => process.stdout.write(`${line}\n`)

for (const program of ['etcd', 'patroni', 'patronictl', 'haproxy'])
  if (spawnSync('which', [program]).status !== 0) {
    print(`There is no ${program}: apt-get install etcd-server patroni postgresql-15 haproxy`)
    process.exit(1)
  }

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-ha-'))
const files = await ManualFiles.read()
const databases = new DatabasePair(files, { folder, isStrict })
const proxy = new Haproxy(files, folder)
const nodes = new Nodes(files, { folder, hasProxy })
const probe = new Probe(databases)

async function play(): Promise<boolean> {
  await databases.start()
  const primary = await databases.healthy()
  await databases.query(primary, ...files.block('create role').trim().split('\n'), 'create database probe')
  await proxy.start()
  await nodes.start()
  const load = new Load(proxy.url, await prepare(nodes))
  await probe.begin()
  load.begin()
  const played = new Rounds({ databases, proxy: hasProxy ? proxy : null, nodes, probe, load }, print)
  for (let n = 0; n < rounds; n += 1) await played.play(n + 1, kindOf(n))
  await load.end()
  await probe.end()
  played.sum()
  const found = await findings(nodes, load)
  for (const line of [...found.lines, ...nodes.errors()]) print(line)
  const audit = verifyAudit(nodes)
  print(audit.text)
  return found.isWhole && audit.isWhole && played.isQuick
}

let cleaning: Promise<void> | null = null

/** A signal and the end of the rounds may both ask for it. */
function cleanUp(): Promise<void> {
  cleaning ??= stopAll()
  return cleaning
}

async function stopAll(): Promise<void> {
  await nodes.stop()
  await proxy.stop()
  await databases.stop()
  if (process.env.KEEP) print(`The logs are in ${folder}.`)
  else await rm(folder, { recursive: true, force: true })
}

// Everything here is a process of its own, and would stay.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => cleanUp().finally(() => process.exit(1)))

try {
  process.exitCode = (await play()) ? 0 : 1
} finally {
  await cleanUp()
}

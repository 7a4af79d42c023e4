import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { superuserOf } from '../../test/superuser.ts'
import { isDatabaseAway } from './away.ts'
import { DatabaseClient } from './client.ts'
import { openDatabase } from './db.ts'
import { copyCluster, startCluster } from './embedded.ts'
import { migrate } from './migrate.ts'
import { breakOff, streamOf } from './timeouts.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-hosts-'))
after(() => rm(folder, { recursive: true, force: true }))

test('of the hosts in an address the primary is used, and the one that takes its place', async (t) => {
  const start = async (name: string) => {
    const port = await freePort()
    const settings = { listen_addresses: '127.0.0.1', port: String(port), fsync: 'off' }
    const cluster = await startCluster(path.join(folder, name), { log: () => {}, settings })
    return { ...cluster, port }
  }
  const first = await start('one')
  await first.stop()
  await mkdir(path.join(folder, 'two'))
  await copyCluster(path.join(folder, 'one'), path.join(folder, 'two'))
  await writeFile(path.join(folder, 'two', 'postgres', 'standby.signal'), '', { mode: 0o644 })
  const primary = await start('one')
  t.after(() => primary.stop())
  const standby = await start('two')
  t.after(() => standby.stop())

  const { user, password, database } = primary.connection
  const hosts = [standby, primary].map(({ port }) => `127.0.0.1:${port}`)
  const connection = { connectionString: `postgres://${user}:${password}@${hosts}/${database}` }
  // With the tables of the job queue, which are another library's: a server starts with such an address.
  await migrate(connection)
  const opened = openDatabase({
    connection,
    ...{ connections: 3, asAppRole: false, onError: () => {} },
  })
  t.after(() => opened.close())
  const serving = async () =>
    (await opened.pool.query<{ port: number }>('select inet_server_port() as port')).rows[0]!.port
  assert.equal(await serving(), primary.port)
  await opened.ping()

  // As a proxy may lead to it that has not noticed yet: a write would be refused as if it were a fault of ours.
  const misled = openDatabase({
    ...{ connection: standby.connection, connections: 3, asAppRole: false, onError: () => {} },
  })
  t.after(() => misled.close())
  const writing = misled.pool.query('create table mine ()')
  await assert.rejects(writing, (error: Error) => isDatabaseAway(error) && /is a standby/.test(error.message))
  await assert.rejects(misled.ping(), isDatabaseAway)

  await primary.stop()
  await assert.rejects(serving(), isDatabaseAway)
  await assert.rejects(serving(), /is a standby, which is read-only\. Promote one of them/)

  const client = await promote()
  assert.equal(client, true)
  for (;;) {
    const port = await serving().catch((error) => assert.ok(isDatabaseAway(error)))
    if (port) return assert.equal(port, standby.port)
    await sleep(50)
  }

  async function promote(): Promise<boolean> {
    const superuser = new pg.Client(await superuserOf(path.join(folder, 'two'), standby.connection))
    await superuser.connect()
    const { rows } = await superuser.query<{ done: boolean }>('select pg_promote() as done')
    await superuser.end()
    return rows[0]!.done
  }
})

test('a connection that is broken off while its primary is looked for fails, and nothing else', async (t) => {
  const asked: Socket[] = []
  const silent = createServer((socket) => void asked.push(socket))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of asked) socket.destroy()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  for (const end of [breakOff, (client: pg.Client) => void streamOf(client).destroy()]) {
    const before = asked.length
    const hosts = `127.0.0.1:${port},127.0.0.1:${port}`
    const client = new DatabaseClient({ connectionString: `postgres://someone@${hosts}/none${before}` })
    const connecting = client.connect()
    while (asked.length < before + 2) await once(silent, 'connection')
    end(client)
    await assert.rejects(connecting, isDatabaseAway)
  }
})

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import type { AuditEvent } from '@signalbox/contract/audit.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { testApp } from '../app.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/** A real Alertmanager sends to the intake. */

const program = ['prometheus-alertmanager', 'alertmanager']
  .flatMap((name) => (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name)))
  .find((file) => existsSync(file))

/** One source that feeds one service, and what the log says of it, oldest first. */
async function aSource(app: Awaited<ReturnType<typeof testApp>>) {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { slug: team } = await aTeam(owner)
  const { id } = fromJson(await createService(owner, { name: 'checkout', team }))
  const made = await addSource(owner, app.storage.secrets, {
    kind: 'alertmanager',
    name: 'Alertmanager',
    services: [id],
  })
  const events = async (event: AuditEvent) =>
    (await listAudit(owner, { event }, { limit: 100, after: null })).data.map(fromJson).reverse()
  /** By alerts that joined it or recovered; an investigation writes entries of its own. */
  const updates = async () =>
    (await events('incident_updated')).filter(({ details }) => typeof details.joined === 'number')
  return { url: `${app.signalUrl}/${fromJson(made.source).token}`, secret: made.secret!, events, updates }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** With waits so short that the test has none; everything else is as the manual says. */
const configuration = (url: string, secretFile: string) => `
route:
  receiver: signalbox
  group_by: [service]
  group_wait: 50ms
  group_interval: 300ms
  repeat_interval: 1h
receivers:
  - name: signalbox
    webhook_configs:
      - url: ${url}
        send_resolved: true
        http_config:
          authorization:
            type: Bearer
            credentials_file: ${secretFile}
`

/** Starts Alertmanager for a test. Gives what puts alerts into it, as Prometheus does. */
async function startAlertmanager(t: TestContext, url: string, secret: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-alertmanager-'))
  const secretFile = path.join(folder, 'secret')
  await writeFile(secretFile, secret)
  await writeFile(path.join(folder, 'alertmanager.yml'), configuration(url, secretFile))
  const address = `127.0.0.1:${await freePort()}`
  const child: ChildProcess = spawn(
    program!,
    [
      `--config.file=${path.join(folder, 'alertmanager.yml')}`,
      `--storage.path=${folder}`,
      `--web.listen-address=${address}`,
      '--cluster.listen-address=',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr!.on('data', (chunk) => {
    said += chunk
  })
  t.after(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(folder, { recursive: true, force: true })
  })
  await until('Alertmanager is ready', async () => {
    assert.equal(child.exitCode, null, said)
    return (await fetch(`http://${address}/-/ready`).catch(() => null))?.status === 200
  })
  return async (alerts: unknown[]) => {
    const response = await fetch(`http://${address}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    })
    assert.equal(response.status, 200, await response.text())
  }
}

test('what Alertmanager notifies of opens an incident, joins it, and resolves it when all of it has recovered', {
  skip: program ? false : 'Alertmanager is not installed on this machine.',
}, async (t) => {
  const app = await testApp()
  t.after(() => app.stop())
  const { url, secret, events, updates } = await aSource(app)
  const put = await startAlertmanager(t, url, secret)
  const anAlert = (alertname: string, severity: string, endsAt: Date | null = null) => ({
    labels: { alertname, severity, service: 'checkout', env: 'production' },
    annotations: { summary: `${alertname} & more: “ä”`, runbook_url: 'https://runbooks.example.com/' },
    startsAt: began,
    ...(endsAt ? { endsAt: endsAt.toISOString() } : {}),
    generatorURL: 'http://prometheus.example.com/graph?g0.expr=a&b',
  })
  const began = new Date().toISOString()

  await put([anAlert('ErrorRate', 'critical')])
  await until('the incident is opened', async () => (await events('incident_opened')).length === 1)
  const [opened] = await events('incident_opened')
  assert.equal(opened!.entity.name, 'ErrorRate')
  assert.equal(opened!.details.severity, 'critical')

  await put([anAlert('Latency', 'warning')])
  await until('the second joins it', async () => (await updates()).length === 1)
  assert.equal((await updates())[0]!.details.joined, 1)

  // The group goes on firing: only the alert's own status reports its recovery.
  await put([anAlert('ErrorRate', 'critical', new Date())])
  await until('the first has recovered', async () => (await updates()).length === 2)
  assert.equal((await updates())[1]!.details.recovered, 1)
  assert.equal((await events('incident_resolved')).length, 0)

  await put([anAlert('Latency', 'warning', new Date())])
  await until('the incident is resolved', async () => (await events('incident_resolved')).length === 1)
  assert.equal((await events('incident_resolved'))[0]!.entity.id, opened!.entity.id)
  assert.equal((await events('incident_opened')).length, 1)
  for (const { details } of await events('signal_received')) {
    assert.equal(details.problem, undefined)
    assert.equal(details.kind, 'alertmanager')
  }
})

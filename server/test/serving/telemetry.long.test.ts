import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { setRepositories } from '../../domain/work/repositories/set.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { readStory } from '../../domain/work/stories/read.ts'
import { Jobs } from '../../infra/jobs/queue.ts'
import { testApp, urlOf } from '../app.ts'
import { template } from '../cluster.ts'
import { emptyDatabase } from '../database.ts'
import { type CollectedSpan, Collector } from '../doubles/collector.ts'
import { Double } from '../doubles/double.ts'
import { ABareRepository } from '../engine/bare-repository.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

const model = 'claude-opus-4-5'
const telemetry = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2',
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_METRIC_EXPORT_INTERVAL: '200',
})

/** Asks a model once a turn, in words that belong in no trace, and does what the turn is for. */
const agentText = `
  import { writeFileSync } from 'node:fs'
  const { SIGNALBOX_MODEL_URL: url, SIGNALBOX_RESULTS: out, SIGNALBOX_PURPOSE: purpose } = process.env
  await fetch(url + '/v1/messages', {
    method: 'POST',
    body: JSON.stringify({ model: '${model}', max_tokens: 50, messages: [{ role: 'user', content: 'private words' }] }),
  }).then((answer) => answer.text())
  if (purpose === 'implement') writeFileSync('src/a.txt', 'two ' + process.pid)
  else writeFileSync(out + '/plan.json', JSON.stringify({ plan: 'Do it.', paths: ['src/a.txt'], risk: 'low', lines: 1 }))
`

test('a run from its issue, or from an alert, to its merge is one connected trace over server and runner, and nothing private is in it', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-telemetry-'))
  const [collector, provider] = [await new Collector().start(), await new Double().start()]
  const usage = { input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 7 }
  provider.on('POST', /messages/, () => ({ json: { model: `${model}-20251101`, usage } }))
  const repository = new ABareRepository()
  await repository.push('main', {
    'src/a.txt': 'one\n',
    '.kanman/gates.yml': 'gates:\n  - name: sound\n    run: "! grep -r broken src"\n',
  })
  const app = await testApp({ env: { ...telemetry(collector.url), GIT_ALLOW: repository.folder } })
  const queue = new Jobs({ pool: app.storage.pool, onError: () => {} })
  const owner = { ...(await aMember(await aWorkspace(app.storage.db), 'owner')), queue }
  const { token } = await aToken(owner)
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'trial', {
    ...{ executor: 'command', isolation: 'none', planApproval: 'never', mergePolicy: 'auto' },
    acceptanceRequired: false,
  })
  await setRepositories(owner, null, team.slug, [{ name: 'shop', address: repository.bare, branch: 'main' }])
  const agent = path.join(folder, 'agent.mjs')
  writeFileSync(agent, agentText)
  const runner = spawn(
    process.execPath,
    [
      ...[...process.execArgv, path.join(import.meta.dirname, '../engine/plain-runner.ts'), '--json'],
      ...['--url', app.url, '--data', path.join(folder, 'runner'), '--git-folders', repository.folder],
      ...['--agents', `command="${process.execPath}" "${agent}"`],
    ],
    {
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, SERVICE_API_KEY: token },
        ...{ ANTHROPIC_API_KEY: 'sk-private', ANTHROPIC_BASE_URL: provider.url },
        ...{ SIGNALBOX_RUNNER_PACE: '0.05', SIGNALBOX_RUNNER_PARENT: `${process.pid}` },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let said = ''
  runner.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  t.after(async () => {
    const left = once(runner, 'exit')
    runner.kill('SIGKILL')
    await left
    await queue.stop()
    await app.stop()
    await collector.stop()
    await provider.stop()
    repository.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const tracker = { platform: 'github', key: '#12', url: 'https://github.com/halden/shop/issues/12' } as const
  const story = await aStory(owner, team, { title: 'Private title', tracker })
  await housekeeping(app.storage.db, 'wake a team for a test', (tx) =>
    queue.send(tx, { task: 'team', workspaceId: owner.workspaceId, id: team.id }),
  )
  const runKey = async () => fromJson(await readStory(owner, story.key)).runKeys[0]
  await until(`the run is merged. ${said}`, async () => {
    const key = await runKey()
    return key !== undefined && fromJson(await readRun(owner, key)).status === 'succeeded'
  })
  const key = (await runKey())!
  const whole = () =>
    collector.spans.find(({ name, attributes }) => name === 'run' && attributes['signalbox.run'] === key)
  const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === whole()?.traceId)
  const named = (name: string) => ofTrace().filter((span) => span.name === name)
  const wanted = [
    ...[
      'issue',
      'stage planning',
      'stage implementing',
      'stage verifying',
      'stage handing_off',
      'main_check',
    ],
    ...['work planning', 'work implementing', 'work verifying', `chat ${model}`, 'gate sound', 'merge'],
    ...['effect merge', 'reportWork'],
  ]
  await until(`all of it is collected: ${wanted}`, () => wanted.every((name) => named(name).length > 0))

  const spans = ofTrace()
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const lost = spans.filter(({ parentId }) => parentId !== null && !byId.has(parentId))
  assert.deepEqual(lost, [], 'every span but the first belongs under another of the same trace')
  assert.deepEqual(
    spans.filter(({ parentId }) => parentId === null).map(({ name }) => name),
    ['run'],
  )
  assert.deepEqual([...new Set(spans.map(({ service }) => service))].sort(), [
    'signalbox',
    'signalbox-runner',
  ])
  const above = (span: CollectedSpan): string[] => {
    const parent = byId.get(span.parentId ?? '')
    return parent ? [parent.name, ...above(parent)] : []
  }
  assert.deepEqual(above(named('gate sound')[0]!), ['work verifying', 'stage verifying', 'run'])
  const [call] = named(`chat ${model}`)
  assert.deepEqual(above(call!), ['work planning', 'stage planning', 'run'])
  assert.deepEqual([call!.kind, call!.service, call!.status], [3, 'signalbox-runner', 0])
  const expected = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': model,
    'gen_ai.response.model': `${model}-20251101`,
    'gen_ai.usage.input_tokens': 120,
    'gen_ai.usage.cache_read.input_tokens': 20,
    'gen_ai.usage.output_tokens': 7,
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(call!.attributes[name], value, name)
  assert.deepEqual(
    [whole()!.attributes['signalbox.outcome'], whole()!.attributes['signalbox.story'], whole()!.status],
    ['succeeded', story.key, 0],
  )
  assert.ok(named('issue')[0]!.from >= whole()!.from && named('merge')[0]!.to <= whole()!.to)

  const statement = spans.find(({ attributes }) => attributes['db.query.text'] !== undefined)
  assert.match(String(statement?.attributes['db.query.text']), /\$1/)
  const sent = JSON.stringify([collector.spans, collector.metrics])
  for (const secret of ['Private title', 'private words', 'sk-private', 'hunter2', token, 'Do it.'])
    assert.ok(!sent.includes(secret), `${secret} was sent`)
  assert.ok(!app.log.join('').includes('hunter2'))
  assert.equal(collector.asked[0]?.headers.authorization, 'Bearer hunter2')

  const { traceId } = whole()!
  const lines = app.log.map((line) => JSON.parse(line)).filter(({ trace_id }) => trace_id === traceId)
  assert.ok(lines.some(({ verb, span_id }) => verb === 'reportWork' && byId.has(span_id)))
  const runnerLines = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const ofRun = runnerLines.filter(({ message }) => message.startsWith(`${key}: `))
  assert.ok(ofRun.length > 0)
  for (const { trace_id, span_id } of ofRun) {
    assert.equal(trace_id, traceId)
    assert.match(byId.get(span_id)?.name ?? '', /^work /)
  }

  const metric = (name: string) => collector.metrics.findLast((one) => one.name === name)
  await until('metrics are collected', () => metric('signalbox_runners') !== undefined)
  assert.equal(metric('signalbox_runs_stuck')?.kind, 'gauge')
  assert.equal(metric('process_cpu_seconds_total')?.kind, 'sum')
  const active = metric('signalbox_runners')!.points.find(({ attributes }) => attributes.state === 'active')
  assert.equal(active?.value, 1)
  const requests = metric('signalbox_http_request_seconds')!
  for (const { count, buckets } of requests.points)
    assert.equal(
      buckets!.reduce((total, one) => total + one, 0),
      count,
    )

  // An alert whose cause is in the code, on a service that may start fixes: from there to the merge it is one trace.
  const settings = { startFixes: true }
  const service = fromJson(await createService(owner, { name: 'Checkout', team: team.slug, settings }))
  const added = await addSource(owner, app.storage.secrets, {
    ...{ kind: 'generic', name: 'Scripts', services: [service.id] },
  })
  const stack = 'TypeError: x is undefined\n    at price (/app/src/orders/rates.ts:10:5)'
  const body = JSON.stringify({
    title: 'Private alert',
    description: stack,
    severity: 'critical',
    fingerprint: 'a',
  })
  const signature = createHmac('sha256', added.secret!).update(body).digest('hex')
  const delivered = await fetch(`${app.signalUrl}/${fromJson(added.source).token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` },
    body,
  })
  assert.equal(delivered.status, 202)
  const incident = () => collector.spans.find(({ name }) => name === 'incident')
  const ofFix = (name: string) =>
    collector.spans.find((span) => span.name === name && span.traceId === incident()?.traceId)
  await until(`its fix is merged and collected. ${said}`, () => ['run', 'merge'].every((name) => ofFix(name)))
  const fix = ofFix('run')!
  assert.deepEqual([fix.parentId, fix.attributes['signalbox.outcome']], [null, 'succeeded'])
  assert.notEqual(fix.traceId, traceId)
  assert.deepEqual(
    [incident()!.parentId, incident()!.from],
    [fix.spanId, fix.from],
    'it begins with the incident',
  )
  assert.match(String(incident()!.attributes['signalbox.incident']), /^inc-/)
  assert.ok(ofFix('merge')!.to <= fix.to)
  assert.ok(!JSON.stringify(collector.spans).includes('Private alert'))
})

test('a collector that is away or slow is said once, when it is back too, and holds nothing up', async (t) => {
  const collector = await new Collector().start()
  const port = Number(new URL(collector.url).port)
  await collector.stop()
  const app = await testApp({ env: { ...telemetry(collector.url), OTEL_EXPORTER_OTLP_TIMEOUT: '200' } })
  t.after(app.stop)
  const saying = (text: string) => app.log.filter((line) => line.includes(text)).length
  for (let asked = 0; asked < 5; asked += 1) assert.equal((await app.get('/v1/teams')).status, 401)
  await until('it is said', () => saying('does not accept telemetry') > 0)
  const back = await new Collector().start(port)
  t.after(() => back.stop())
  // Spans were refused as well as metrics, so it is back when it has accepted both.
  await until('it is back', async () => {
    await app.get('/v1/teams')
    return saying('accepts telemetry again') > 0
  })
  assert.deepEqual([saying('does not accept telemetry'), saying('accepts telemetry again')], [1, 1])
  await until('and has spans', async () => {
    await app.get('/v1/teams')
    return back.spans.length > 0
  })
  back.delay = () => new Promise(() => {})
  assert.equal((await app.get('/v1/teams')).status, 401)
  const begun = performance.now()
  await app.stop()
  assert.ok(performance.now() - begun < 10_000, 'a stop does not wait for it')
})

test('with nothing set, not one module of the SDK is loaded', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...process.execArgv, path.join(import.meta.dirname, 'loaded-modules.ts')],
    {
      env: {
        ...process.env,
        DATABASE_URL: urlOf(await emptyDatabase(template)),
        COLLECTOR: 'http://127.0.0.1:9',
      },
    },
  )
  const { off, on } = JSON.parse(stdout) as Record<'off' | 'on', { packages: string[] }>
  // The sign-in library loads the API, which does nothing without the SDK.
  assert.deepEqual(
    off.packages.filter((name) => name !== '@opentelemetry/api'),
    [],
  )
  assert.ok(on.packages.includes('@opentelemetry/sdk-trace'), 'it would be seen')
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { startCluster } from '../server/infra/db/embedded.ts'
import { superuserOf } from '../server/test/superuser.ts'
import { appFigures } from './app.ts'
import { auditFigures } from './audit.ts'
import { connectionFigures } from './connections.ts'
import { engineFigures } from './engine.ts'
import { type Figure, table } from './figures.ts'
import { heldFigure } from './held.ts'
import { intakeFigures } from './intake.ts'
import { residentMegabytes, start } from './process.ts'
import { restFigures } from './rest.ts'
import { runnerFigures } from './runners.ts'
import { tokenFigure } from './token.ts'
import { waitingFigures } from './waiting.ts'
import { webhookFigures } from './webhooks.ts'

/** Prints how fast Signalbox is, as ratios against stated peers measured in the same run. --write keeps the table in docs. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-bench-'))
const figures: Figure[] = []
const say = (text: string) => process.stderr.write(`${text}\n`)

// Exactly what the script runs, options of Node included.
const demoScript: string[] = JSON.parse(await readFile('package.json', 'utf8'))
  .scripts.demo.split(' ')
  .slice(1)

const startDemo = (data: string) =>
  start([...demoScript, '--json', '--port', '0', '--data', path.join(folder, data)], {
    RATE_LIMIT_PER_MINUTE: '1000000000',
  })

say('Starting the demo on an empty data folder …')
await rm('node_modules/.cache/demo', { recursive: true, force: true })
for (const [data, when, targetSeconds] of [
  ['first', 'for the first time', 6],
  ['demo', 'on a machine that has run it before', 2],
] as const) {
  const begun = performance.now()
  const demo = await startDemo(data)
  const { url, tokens } = JSON.parse(demo.line)
  await (await fetch(`${url}/v1/teams`, { headers: { authorization: `Bearer ${tokens.owner}` } })).text()
  const seconds = (performance.now() - begun) / 1000
  figures.push({
    what: `From \`npm run demo\`, empty data folder, ${when}, to the first 200`,
    ours: `${seconds.toFixed(1)} s`,
    peer: '',
    ratio: null,
    target: `under ${targetSeconds} s`,
    met: seconds < targetSeconds,
  })
  const memory = await residentMegabytes(demo.child.pid!)
  if (memory !== null)
    figures.push({
      what: 'Memory of the server then',
      ours: `${Math.round(memory)} MB`,
      peer: '',
      ratio: null,
      target: 'under 150 MB',
      met: memory < 150,
    })
  await demo.stop()
}

say('Loading the REST API …')
const second = await startDemo('demo')
const served = JSON.parse(second.line)
figures.push(...(await restFigures({ url: served.url, token: served.tokens.owner, pid: second.child.pid! })))
await second.stop()

say('Writing a log of a million entries, reading it …')
const cluster = await startCluster(path.join(folder, 'logs'), {
  log: () => {},
  settings: { fsync: 'off', shared_buffers: '512MB' },
})
// It makes databases and fills them past their triggers.
const superuser = await superuserOf(path.join(folder, 'logs'), cluster.connection)
figures.push(await tokenFigure(superuser))
figures.push(...(await auditFigures(superuser)))
say('Letting a hundred thousand runs wait, answering some …')
figures.push(...(await waitingFigures(superuser)))
say('Holding the calls of five hundred coding agents …')
figures.push(...[await heldFigure(superuser)].filter((figure) => figure !== null))
say('Playing runs from Ready to Done …')
figures.push(...(await engineFigures(superuser)))
say('Opening the inbox …')
figures.push(...(await appFigures(superuser)))
say('Connecting runners …')
figures.push(...(await runnerFigures(superuser)))
await cluster.stop()

say('Sending alerts …')
const durable = await startCluster(path.join(folder, 'alerts'), { log: () => {} })
const maker = await superuserOf(path.join(folder, 'alerts'), durable.connection)
figures.push(...(await intakeFigures(maker)))
say('Sending webhooks …')
figures.push(...(await webhookFigures(maker)))
say('Importing issues …')
figures.push(...(await connectionFigures(maker)))
await durable.stop()
await rm(folder, { recursive: true, force: true })

const text = table(figures)
process.stdout.write(`${text}\n`)
if (process.argv.includes('--write')) {
  const date = new Date().toISOString().slice(0, 10)
  const page = `# Speed

Made by \`npm run bench -- --write\` on ${date}, ${availableParallelism()} cores, ${process.arch}, with client, server and database on the same machine. Machines differ and are noisy; the ratios are what to look at, each against a peer measured in the same run.

${text}

The REST peer is a Fastify server without anything else, sending the same bytes. Requests here carry a token that is checked, are counted against a limit, ask the database, and are logged when the log level says so. All callers ask the same thing with the same token; those whose requests arrive in the same turn of the event loop share one question to the database.

A waiting run has its story, attempt and pending decision; they are spread over eight teams. The server is a process of its own, with ten connections; the database does not wait for the disk, so that what is compared is not the disk. Idling is the processor time of the server over 20 seconds, and the time its database spent on statements. Reads and answers come from 32 callers, in turns with the peer; each ratio is the median over the rounds.

The inbox is opened in a headless Chromium without any cache, on the same machine; a key is timed by the page itself, from the moment it goes down to the frame after the selection has moved. The log is that of a run at work: lines are written as a worker writes them and arrive by the stream, while somebody scrolls up in them. The time of a turn of the wheel is that of the page, from the event to the frame after it has moved.

An answer approves a plan whose team needs a runner that is not connected: the run queues, the team is woken, and the engine looks and leaves it. Its peer sends the statements of one answer, as they were heard from the server, for one decision after another: same texts, prepared as the server prepares them, on as many connections, for as many callers. Beside that, the server checks the token, renders, seals the audit log and answers its own wake-ups.

A scripted run goes from Ready to Done through planning, implementing, verifying, handing off, merging and a look at main; each stage bills something and is over as soon as it is handed out. All runs are of one team with as many slots. The time is from the start of the first run to the end of the last; a step is an event of a run.

Alerts are measured on a database that waits for its disk, with 64 callers, after ten thousand deliveries that nobody measures; each answer comes after the commit. They are below the severity that opens an incident, except in the storm. The peer inserts a row of the same size, one statement and one commit each.

Webhooks are sent on the same database. The slow endpoint answers after ten seconds; the dead one refuses connections. Each event goes to all ten, and events happen at their time, whether or not those before have been sent.

Runners: the share of a run is that of the real runner in a process of its own, in a box where the machine has one; the scripted agent counts with it, since it needs no time to think. Idle runners and those that print speak the protocol of the runner over HTTP; each log is read over the stream that the page of the run reads, all at the same time. The processor time is that of the server's process; the database is another.

Issues are imported from a double of GitHub that answers one request in 0.72 seconds, which is what its limit allows; the processor is that of the server alone. A webhook is timed from the change at the double until a reader of the REST API sees the story in its new column, and until the frame in which the board of a headless Chromium shows it there.

What one alert a delivery costs is mostly the server's own time, not the database's. Of about 520 µs of a processor, 260 are the thread that answers (HTTP alone 80, then the proof, reading the body, and its share of one statement), 90 the thread of the rounds, 25 to 60 the engine's collecting and compiling, 100 PostgreSQL (13 to acknowledge; 87 for the round: alerts 26, entries 18, deliveries 14, leaves 7). The client that sends takes another 70. The peer takes 320: 180 in PostgreSQL, 140 in its client. So on two cores, which client, server and database share, the ratio is about that of these sums, and 0.7 would take 130 µs less: the next to go would be JSON written and read again between the two threads, and the headers and streams of \`node:http\`. More cores help more than that, because client, server, thread and database then have one each. Deliveries that arrive together are one row and one commit. Their audit entries, seals and alerts follow in rounds, on a thread of their own. An Alertmanager, where one is installed, gets the same alerts; it acknowledges before anything is on a disk, and checks no signature.
`
  await writeFile('docs/bench.md', page)
}

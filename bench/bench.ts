import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { type Connection, startCluster } from '../server/infra/db/embedded.ts'
import { superuserOf } from '../server/test/superuser.ts'
import { appFigures } from './app.ts'
import { auditFigures } from './audit.ts'
import { backlogFigures } from './backlog.ts'
import { connectionFigures } from './connections.ts'
import { demoFigures } from './demo.ts'
import { engineFigures } from './engine.ts'
import { type Figure, table } from './figures.ts'
import { fleetFigures } from './fleet.ts'
import { heldFigure } from './held.ts'
import { alertFigures, intakeFigures } from './intake.ts'
import { mixedFigures } from './mixed.ts'
import { phoneFigures } from './phone.ts'
import { readFigures } from './reads.ts'
import { replicaFigures } from './replica.ts'
import { runnerFigures, slotFigure } from './runners.ts'
import { tokenFigure } from './token.ts'
import { answerFigure, waitingFigures } from './waiting.ts'
import { webhookFigures } from './webhooks.ts'

/**
 * Prints how fast Signalbox is, as ratios against stated peers measured in the same run. --quick measures the ten rows
 * that matter most, in under three minutes; --only WORDS those whose line on the way holds the words; --write keeps the
 * whole table in docs.
 */

interface Part {
  say: string
  measure: (superuser: Connection) => Promise<Figure[]>
  /** What of it --quick measures, if anything. */
  quickly?: (superuser: Connection) => Promise<Figure[]>
}

const onMemory: Part[] = [
  {
    say: 'Reading …',
    measure: (superuser) => readFigures(superuser),
    quickly: (superuser) => readFigures(superuser, { isQuick: true }),
  },
  {
    say: 'Writing a log of a million entries, reading it …',
    measure: async (superuser) => [await tokenFigure(superuser), ...(await auditFigures(superuser))],
  },
  {
    say: 'Letting a hundred thousand runs wait, answering some …',
    measure: waitingFigures,
    quickly: async (superuser) => [await answerFigure(superuser)],
  },
  { say: 'Holding the calls of five hundred coding agents …', measure: heldFigure },
  { say: 'Asking for everything at the same time …', measure: mixedFigures },
  {
    say: 'Playing runs from Ready to Done …',
    measure: (superuser) => engineFigures(superuser, [50, 200, 400]),
    quickly: (superuser) => engineFigures(superuser, [50, 200]),
  },
  { say: 'Opening the inbox …', measure: appFigures },
  {
    say: 'Connecting runners …',
    measure: runnerFigures,
    quickly: async (superuser) => [await slotFigure(superuser)],
  },
  { say: 'Letting a fleet of runners wait …', measure: fleetFigures },
]

/** What promises that something is on the disk is measured on a database that waits for it. */
const onDisk: Part[] = [
  { say: 'Sending alerts …', measure: intakeFigures, quickly: alertFigures },
  { say: 'Working off a backlog of alerts …', measure: backlogFigures },
  { say: 'Sending webhooks …', measure: webhookFigures },
  { say: 'Importing issues …', measure: connectionFigures },
]

const isQuick = process.argv.includes('--quick')
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1]! : null
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-bench-'))
const say = (text: string) => process.stderr.write(`${text}\n`)

if (!only) say('Starting the demo on an empty data folder …')
const figures = [
  ...(only ? [] : await demoFigures(folder, isQuick)),
  ...(await measured('memory', onMemory, { fsync: 'off', shared_buffers: '512MB' })),
  ...(await measured('disk', onDisk, {})),
  ...(isQuick || only ? [] : await withReplica()),
  ...(isQuick || only ? [] : await onAPhone()),
]
await rm(folder, { recursive: true, force: true })

// Rows without a target are for information.
const text = table(isQuick ? figures.filter(({ target }) => target !== undefined) : figures)
process.stdout.write(`${text}\n`)
if (process.argv.includes('--write') && !isQuick && !only) {
  const head = `Made by \`npm run bench -- --write\` on ${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores, ${process.arch}, with client, server and database on the same machine. Machines differ and are noisy; the ratios are what to look at, each against a peer measured in the same run.`
  const notes = await readFile(path.join(import.meta.dirname, 'notes.md'), 'utf8')
  const here = notes.replaceAll('](../docs/', '](')
  await writeFile('docs/bench.md', `# Speed\n\n${head}\n\n${text}\n\n${here}`)
}

async function withReplica(): Promise<Figure[]> {
  say('Reading from a replica …')
  return replicaFigures()
}

async function onAPhone(): Promise<Figure[]> {
  say('Opening screens on a phone …')
  return phoneFigures()
}

async function measured(name: string, parts: Part[], settings: Record<string, string>): Promise<Figure[]> {
  const cluster = await startCluster(path.join(folder, name), { log: () => {}, settings })
  // It makes databases and fills them past their triggers.
  const superuser = await superuserOf(path.join(folder, name), cluster.connection)
  const figures: Figure[] = []
  for (const part of parts) {
    const measure = isQuick ? part.quickly : part.measure
    if (!measure || (only && !part.say.includes(only))) continue
    say(part.say)
    figures.push(...(await measure(superuser)))
  }
  await cluster.stop()
  return figures
}

import { spawnSync } from 'node:child_process'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { DatabaseClient } from '../../infra/db/client.ts'
import { openDatabase } from '../../infra/db/db.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { aRepository } from '../engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'
import { checkout } from '../upgrade/node-process.ts'
import { askers, type Load, type Place } from './load.ts'
import type { Nodes } from './nodes.ts'

const storiesForRunners = 400

/** A workspace with a source of alerts, people, an agent, and more stories than runners can get through. */
export async function prepare({ databaseUrl, secretKey }: Nodes): Promise<Place> {
  const { db, close } = openDatabase({
    ...{ connection: { connectionString: databaseUrl }, connections: 3, asAppRole: true },
    onError: () => {},
  })
  try {
    const owner = await aMember(await aWorkspace(db), 'owner')
    const team = await aTeam(owner)
    await aPolicy(owner, team, 'autonomous', { isolation: 'none' })
    await aRepository(owner, team)
    for (let n = 0; n < storiesForRunners; n += 1) await aStory(owner, team)
    const stories: string[] = []
    for (let n = 0; n < askers; n += 1) stories.push((await aStory(owner, team, { column: 'backlog' })).key)
    const service = fromJson(await createService(owner, { name: 'queues', team: team.slug }))
    const { source, secret } = await addSource(owner, secretsFrom(secretKey), {
      ...{ kind: 'generic', name: 'Scripts', services: [service.id] },
    })
    const tokenOf = async (person: typeof owner) => (await aToken(person, ['read', 'write'])).token
    return {
      team: team.slug,
      stories,
      source: { token: fromJson(source).token, secret: secret! },
      tokens: {
        ...{ agent: await tokenOf(owner), runner: await tokenOf(owner) },
        person: await tokenOf(await aMember(owner, 'admin')),
      },
    }
  } finally {
    await close()
  }
}

interface Count {
  what: string
  acknowledged: number
  found: number
  doubles: number
}

/** What was acknowledged against what is there. */
export async function findings(nodes: Nodes, load: Load): Promise<{ lines: string[]; isWhole: boolean }> {
  const client = new DatabaseClient({ connectionString: nodes.databaseUrl })
  await client.connect()
  try {
    const one = async (text: string, values: unknown[] = []): Promise<number> =>
      Number((await client.query(text, values)).rows[0].count)
    await until('everything is understood', async () => (await one('select count(*) from intake')) === 0)
    const counts: Count[] = []
    const add = (what: string, acknowledged: number, found: number, doubles: number) =>
      counts.push({ what, acknowledged, found, doubles })

    const deliveries = [...load.delivered.values()]
    const entries = `audit_entries where event = 'signal_received'`
    const found = await one('select count(*) from deliveries where id = any ($1)', [deliveries])
    const all = await one('select count(*) from deliveries')
    add('deliveries', deliveries.length, found, all - new Set(deliveries).size)
    const alerts = await one('select count(*) from alerts where fingerprint = any ($1)', [
      [...load.delivered.keys()],
    ])
    const twice = await one('select count(*) from alerts where count <> 1')
    add('alerts', load.delivered.size, alerts, twice)
    add('entries of deliveries', deliveries.length, await one(`select count(*) from ${entries}`), 0)

    const answers = [...load.answered]
    const kept = await one(
      `select count(*) from decisions join unnest($1::text[], $2::text[]) as said (key, option)
         on said.key = decisions.key and said.option = decisions.resolution_option`,
      [answers.map(([key]) => key), answers.map(([, option]) => option)],
    )
    const resolved = await one(`select count(*) from audit_entries where event = 'decision_resolved'`)
    add('answers', answers.length, kept, resolved - answers.length)

    const questions = [...load.asked]
    const told = questions.filter(([, { decision, optionId }]) => load.answered.get(decision) === optionId)
    const raised = await one(`select count(*) from decisions where kind = 'clarification'`)
    add('questions of agents', questions.length, told.length, raised - questions.length)

    const reports = [...load.reported].flatMap(([order, numbers]) =>
      [...numbers].map((number) => [...order.split(' '), number] as const),
    )
    const billed = await one(
      `select count(*) from usage_ledger join runs on runs.id = run_id
         join unnest($1::text[], $2::int[], $3::int[]) as said (key, fence, report)
         on said.key = runs.key and said.fence = usage_ledger.fence and said.report = usage_ledger.report`,
      [0, 1, 2].map((part) => reports.map((report) => report[part])),
    )
    const bills = await one('select count(*) from usage_ledger')
    add('reports of cost', reports.length, billed, bills - reports.length)

    const lines = counts.map(
      ({ what, acknowledged, found, doubles }) =>
        `${what}: ${acknowledged} acknowledged, ${found} found, ${acknowledged - found} lost, ${doubles} double`,
    )
    const isWhole =
      load.unexpected.length === 0 &&
      counts.every(({ acknowledged, found, doubles }) => acknowledged === found && doubles === 0)
    return { lines: [...lines, ...load.unexpected.map((line) => `unexpected: ${line}`)], isWhole }
  } finally {
    await client.end()
  }
}

/** As an operator does it. */
export function verifyAudit(nodes: Nodes): { text: string; isWhole: boolean } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['server/main.ts', 'verify-audit'], {
    ...{ cwd: checkout, encoding: 'utf8' },
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...nodes.environment },
  })
  return { text: `verify-audit: ${(stdout + stderr).trim()}`, isWhole: status === 0 }
}

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { errors } from '@signalbox/contract/error.ts'
import type { Order, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { beginWork } from '../../domain/engine/local/begin.ts'
import { handOffWork } from '../../domain/engine/local/hand-off.ts'
import { reportEvidence } from '../../domain/engine/local/report-evidence.ts'
import { reportProgress } from '../../domain/engine/local/report-progress.ts'
import { DomainError } from '../../domain/errors.ts'
import { presets } from '../../domain/work/policies/presets.ts'
import { approveDraft } from '../../domain/work/requirements/approve-draft.ts'
import { submitRequirement } from '../../domain/work/requirements/submit.ts'
import { ScriptedGitHost } from '../../integrations/git-hosts/scripted.ts'
import { PretendTracker } from '../../integrations/trackers/pretend.ts'
import { type Beat, ScriptedWork } from '../../integrations/work/scripted.ts'
import { testApp } from '../app.ts'
import { aDecision, aMember, aPolicy, aRun, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { aSplitter, proposed } from '../requirements.ts'
import { signedIn } from '../signed-in.ts'
import { until } from '../until.ts'
import { goesWell } from './engine.ts'
import { aRepository, TestRunner } from './runner.ts'

/**
 * Whatever two people do to the same thing at the same time, and whatever the worker does beside them, no one gets an
 * internal error: what comes too late is refused in a sentence, and there are no deadlocks.
 */

const beat = (event: Beat['event']): Beat[] => [{ seconds: 0.01, event }]
const script: Record<string, Beat[]> = {
  planning: beat(goesWell.plan),
  implementing: beat(goesWell.change),
  verifying: beat(goesWell.gates),
  handing_off: beat(goesWell.finish),
}

const app = await testApp({
  env: { DATABASE_CONNECTIONS: '20' },
  connect: (report) => {
    const work = new ScriptedWork({ script: ({ stage }) => script[stage]!, report, onError: () => {} })
    return { work, gitHost: new ScriptedGitHost(), tracker: new PretendTracker(), stop: () => work.stop() }
  },
})
after(() => app.stop())

const workspace = await aWorkspace(app.storage.db)
const owner = { ...(await aMember(workspace, 'owner')), slug: workspace.slug }
const browser = await signedIn(app, owner)
const refusals = [404, 409]
const handedOff = { summary: 'Done', branch: 'mine', commit: 'c'.repeat(40) }

/** One way to act on a thing; the number tells those who act alike apart. */
type Verb<Thing> = (thing: Thing, n: number) => Promise<Response>

const write = (name: string, input: object) => browser.write(name, input)

async function answer<T>(name: string, input: object): Promise<T> {
  const response = await write(name, input)
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as T
}

async function edit(key: string, fields: object): Promise<Response> {
  const found = await browser.read('stories.read', { key })
  // The other one was quicker, and it is gone.
  if (!found.ok) return found
  const { updatedAt } = (await found.json()) as { updatedAt: string }
  return write('stories.edit', { key, readAt: updatedAt, ...fields })
}

const isThorough = process.env.FAULTS === 'all'

/** How many of each act together; `npm run test:faults` lets more of them meet. */
const crowd = isThorough ? 10 : 2

/**
 * Lets every two of these verbs meet, several of each together, on a thing of their own. Unless it is thorough, each
 * meets the next one in the list, and the one that is half of the list away.
 */
function everyPair<Thing>(
  what: string,
  make: () => Promise<Thing>,
  verbs: Record<string, Verb<Thing>>,
): void {
  describe(`${crowd} at once of ${isThorough ? 'every' : 'some'} two that act on ${what}`, () => {
    const named = Object.entries(verbs)
    const short = [1, Math.floor(named.length / 2)]
    for (const [index, [one, act]] of named.entries()) {
      for (const [place, [other, actToo]] of named.entries()) {
        if (place < index || (!isThorough && !short.includes(place - index))) continue
        test(`${one} and ${other}`, async () => {
          const thing = await make()
          const seen = app.log.length
          const acts = Array.from({ length: crowd }, (_, n) => [act(thing, n), actToo(thing, n + crowd)])
          for (const response of await Promise.all(acts.flat())) {
            const body = await response.text()
            const isRefused =
              refusals.includes(response.status) || /there is no service|"runner_removed"/.test(body)
            assert.ok(response.status < 300 || isRefused, `${response.status} ${body}`)
          }
          await settled()
          assert.deepEqual(app.log.slice(seen).filter(isTrouble), [])
        })
      }
    }
  })
}

const isTrouble = (line: string) => /deadlock|"(40P01|40001)"|"level":"error"/.test(line)

/** What the worker was woken for is done. */
async function settled(): Promise<void> {
  await until('nothing is left to be done', async () => {
    const { rows } = await app.storage.pool.query(
      'select from effects where workspace_id = $1 and due_at <= now() limit 1',
      [owner.workspaceId],
    )
    return rows.length === 0
  })
}

everyPair(
  'a requirement and its drafts',
  async () => {
    const team = await aTeam(owner)
    const drafts = [1, 2, 3, 4].map((n) => proposed({ title: `Show the window ${n}` }))
    const { slug, drafts: keys } = fromJson(
      await submitRequirement(owner, aSplitter({ drafts, notes: [] }), { team: team.slug, text: 'A window' }),
    )
    await approveDraft(owner, keys[0]!)
    await approveDraft(owner, keys[1]!)
    await answer('requirements.write', { slug })
    return { slug, keys }
  },
  {
    write: ({ slug }) => write('requirements.write', { slug }),
    approve: ({ keys }, n) => write('requirements.approveDraft', { key: keys[n % 4]! }),
    reject: ({ keys }, n) => write('requirements.rejectDraft', { key: keys[n % 4]! }),
    edit: ({ keys }, n) => edit(keys[n % 4]!, { title: `Title ${n}` }),
    move: ({ keys }, n) => write('stories.move', { key: keys[n % 4]!, to: n % 2 ? 'ready' : 'backlog' }),
    answer: ({ slug }) => write('requirements.answer', { slug, answers: [] }),
  },
)

/** What ends an order of any stage, well or not. */
const ended = (n: number): RunnerEvent =>
  n % 2
    ? { type: 'failed', failureClass: 'transient', error: 'The network was away.' }
    : { type: 'plan_ready', plan: 'Do it.', paths: [], risk: 'low', lines: 1 }

const columns = ['backlog', 'refining', 'ready'] as const

everyPair(
  'a story, its run and what the run asks',
  async () => {
    const team = await aTeam(owner)
    await aPolicy(owner, team, 'supervised', { maxConcurrency: 2 })
    const story = await aStory(owner, team, { column: 'in_progress' })
    const run = await aRun(owner, team, story)
    const decision = await aDecision(owner, team, { storyId: story.id, run })
    return { team: team.slug, story: story.key, run: run.key, decision: decision.key }
  },
  {
    approve: ({ decision: key }) => write('decisions.resolve', { key, optionId: 'approve' }),
    'ask for changes': ({ decision: key }, n) =>
      write('decisions.resolve', { key, optionId: 'changes', note: `Change ${n}` }),
    stop: ({ run: key }) => write('runs.stop', { key }),
    retry: ({ run: key }) => write('runs.retry', { key }),
    move: ({ story: key }, n) => write('stories.move', { key, to: columns[n % 3]! }),
    edit: ({ story: key }, n) => edit(key, { size: n % 2 ? 's' : 'm' }),
    pause: ({ team }, n) => write(n % 2 ? 'teams.pause' : 'teams.resume', { team }),
    'delete the team': ({ team }) => write('teams.delete', { team }),
  },
)

/** What a person's own coding agent asks for, which has no operation of the app. */
async function locally(act: Promise<unknown>): Promise<Response> {
  try {
    await act
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof DomainError)
      return new Response(error.message, { status: errors[error.code].status })
    throw error
  }
}

everyPair(
  'a story that a person works on',
  async () => {
    const team = await aTeam(owner)
    await aPolicy(owner, team, 'supervised', { maxConcurrency: 2 })
    const story = await aStory(owner, team)
    const { run } = await beginWork(owner, story.key)
    return { team: team.slug, story: story.key, run }
  },
  {
    begin: ({ story }) => locally(beginWork(owner, story)),
    'report progress': ({ run }, n) => locally(reportProgress(owner, run, { message: `Step ${n}` })),
    'report evidence': ({ run }) => locally(reportEvidence(owner, run, { demonstration: 'Seen' })),
    'hand off': ({ run }) => locally(handOffWork(owner, run, handedOff)),
    'give back': ({ run: key }) => write('runs.giveBack', { key }),
    stop: ({ run: key }) => write('runs.stop', { key }),
    move: ({ story: key }, n) => write('stories.move', { key, to: columns[n % 3]! }),
    pause: ({ team }, n) => write(n % 2 ? 'teams.pause' : 'teams.resume', { team }),
  },
)

everyPair(
  'a team',
  async () => {
    const team = await aTeam(owner)
    await aPolicy(owner, team, 'supervised')
    await aStory(owner, team)
    return team.slug
  },
  {
    change: (team, n) => write('teams.change', { team, name: `Name ${n}` }),
    pause: (team) => write('teams.pause', { team }),
    resume: (team) => write('teams.resume', { team }),
    delete: (team) => write('teams.delete', { team }),
    'change its policy': async (team, n) => {
      const settings = { ...presets.balanced, executor: 'scripted', maxConcurrency: 1 + n }
      return write('policies.change', { team, preset: 'balanced', settings, basedOn: 1 })
    },
    'restore its policy': (team) => write('policies.restore', { team, version: 1, basedOn: 1 }),
    'create a service': (team, n) => write('services.create', { team, name: `Of ${team} ${n % 5}` }),
    'submit a requirement': (team, n) =>
      write('requirements.submit', { team, text: `- Show window ${n}\n- Show day ${n}` }),
  },
)

interface Watched {
  team: string
  service: string
  source: string
  url: string
  secret: string
}

async function aWatchedService(): Promise<Watched> {
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'supervised')
  const { id: service } = await answer<{ id: string }>('services.create', {
    team: team.slug,
    name: team.slug,
  })
  const added = { kind: 'generic', name: `Alerts of ${team.slug}`, services: [service] }
  const { id, url, secret } = await answer<{ id: string; url: string; secret: string }>('sources.add', added)
  return { team: team.slug, service, source: id, url, secret }
}

/** Alerts as a sender sends them; the secret may have been rotated or the source deleted since. */
async function deliver({ url, secret }: Watched, ...alerts: object[]): Promise<Response> {
  const body = JSON.stringify({ alerts })
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` }
  const response = await fetch(url, { method: 'POST', headers, body })
  return [401, 410].includes(response.status) ? new Response(null, { status: 204 }) : response
}

const alert = (n: number, status: string) => ({
  title: `No space left on device ${n}`,
  fingerprint: `alert-${n}`,
  severity: 'critical',
  status,
})
const several = (n: number, status: string) =>
  Array.from({ length: 20 }, (_, index) => alert(n % 2 ? index : 19 - index, status))

everyPair('a service and what feeds it', aWatchedService, {
  'change the service': ({ service }, n) => write('services.change', { service, name: `${service} ${n}` }),
  'delete the service': ({ service }) => write('services.delete', { service }),
  'change the source': ({ source }, n) => write('sources.change', { source, name: `Source ${n}` }),
  'rotate its secret': ({ source }) => write('sources.rotate', { source }),
  pause: ({ source }, n) => write(n % 2 ? 'sources.pause' : 'sources.resume', { source }),
  'delete the source': ({ source }) => write('sources.delete', { source }),
  'send a test': ({ source }) => write('sources.test', { source }),
  'alerts that fire': (watched, n) => deliver(watched, ...several(n, 'firing')),
  'alerts that recover': (watched, n) => deliver(watched, ...several(n, 'resolved')),
  'delete the team': ({ team }) => write('teams.delete', { team }),
})

everyPair(
  'an incident and what it asks',
  async () => {
    const watched = await aWatchedService()
    await deliver(watched, alert(0, 'firing'))
    let row: { id: string; key: string; decision: string } | undefined
    await until('the incident asks', async () => {
      const { rows } = await app.storage.pool.query(
        `select i.id, i.key, (select d.key from decisions d join proposals p on p.id = d.proposal_id
           where p.incident_id = i.id limit 1) as decision
         from incidents i where i.service_id = $1 and i.finding is not null`,
        [watched.service],
      )
      row = rows[0]
      return row?.decision != null
    })
    return { ...watched, incident: row!.key, decision: row!.decision }
  },
  {
    note: ({ incident }, n) => write('incidents.note', { incident, text: `Note ${n}` }),
    'accept what it proposes': ({ decision: key }) => write('decisions.resolve', { key, optionId: 'accept' }),
    'decline what it proposes': ({ decision: key }) =>
      write('decisions.resolve', { key, optionId: 'decline' }),
    'alerts that fire': (watched, n) => deliver(watched, alert(0, 'firing'), alert(n, 'firing')),
    'alerts that recover': (watched, n) => deliver(watched, alert(n, 'resolved'), alert(0, 'resolved')),
    'change the service': ({ service }, n) => write('services.change', { service, name: `${service} ${n}` }),
    'delete the source': ({ source }) => write('sources.delete', { source }),
    'delete the team': ({ team }) => write('teams.delete', { team }),
  },
)

const { token: runnerToken } = await aToken(owner)

everyPair(
  'a runner and the run it works on',
  async () => {
    const team = await aTeam(owner)
    await aPolicy(owner, team, 'autonomous')
    await aRepository(owner, team)
    const runner = new TestRunner(app.url, runnerToken, { labels: [team.slug] })
    const settings = { ...presets.autonomous, executor: 'scripted', runnerLabels: [team.slug] }
    await answer('policies.change', { team: team.slug, preset: 'autonomous', settings, basedOn: 1 })
    await runner.register()
    const story = await aStory(owner, team)
    await aStory(owner, team)
    await answer('teams.pause', { team: team.slug })
    await answer('teams.resume', { team: team.slug })
    let order: Order | null = null
    await until('the runner has an order', async () => {
      order = await runner.acquire(undefined, 5)
      return order !== null
    })
    const { run, fence } = order as unknown as Order
    return { team: team.slug, story: story.key, runner, run, fence }
  },
  {
    register: async ({ runner, run, fence }) =>
      runner.call('register', await runner.signed({ holds: [{ run, fence, state: 'working' }] })),
    acquire: ({ runner }) => runner.ask(undefined, 0),
    beat: ({ runner, run, fence }) => {
      const said = { phase: 'agent', lastEventAt: null, reportNext: 1, logNext: 1, spentMicros: 0 }
      return runner.call('beat', {
        orders: [{ run, fence, ...said }],
        ...{ free: 1, diskFree: null, drains: false },
      })
    },
    report: ({ runner, ...order }, n) =>
      runner.report(order, [1, { type: 'usage', amount: 0.01, currency: 'EUR' }], [2, ended(n)]),
    credential: ({ runner, run, fence }) =>
      runner.call(`orders/${run}/${fence}/credential`, { for: 'git', access: 'read' }),
    leave: ({ runner }) => runner.call('leave', {}),
    'pause the runner': ({ runner: { id } }, n) => write(n % 2 ? 'runners.pause' : 'runners.resume', { id }),
    'drain the runner': ({ runner: { id } }) => write('runners.drain', { id }),
    'remove the runner': ({ runner: { id } }) => write('runners.remove', { id }),
    'stop the run': ({ run: key }) => write('runs.stop', { key }),
    'move the story': ({ story: key }, n) => write('stories.move', { key, to: columns[n % 3]! }),
    'delete the team': ({ team }) => write('teams.delete', { team }),
  },
)

everyPair('a member', async () => (await aMember(workspace, 'admin')).personId, {
  'change the role': (id, n) => write('members.changeRole', { id, role: n % 2 ? 'owner' : 'member' }),
  remove: (id) => write('members.remove', { id }),
})

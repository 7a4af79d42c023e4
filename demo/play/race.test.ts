import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RunPage } from '@signalbox/contract/app/runs.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import { ScriptedGitHost } from '../../server/integrations/git-hosts/scripted.ts'
import { PretendTracker } from '../../server/integrations/trackers/pretend.ts'
import { testApp, urlOf } from '../../server/test/app.ts'
import { testDatabase } from '../../server/test/database.ts'
import { aMember, aPolicy, aStory, aTeam, aWorkspace } from '../../server/test/factories.ts'
import { signedIn } from '../../server/test/signed-in.ts'
import { until } from '../../server/test/until.ts'
import { mergeOf } from './outcomes.ts'
import { scriptedWork } from './work.ts'

const database = await testDatabase()
const app = await testApp({
  databaseUrl: urlOf(database.connection),
  connect: (report, _log, print) => {
    const work = scriptedWork({ report, print, pace: 10_000, db: database.db, onError: assert.ifError })
    return {
      work,
      gitHost: new ScriptedGitHost(mergeOf),
      tracker: new PretendTracker(),
      stop: () => work.stop(),
    }
  },
})
after(async () => {
  await app.stop()
  await database.close()
})

test('in the demo a race can be started, and is followed to the decision between two scripted diffs', async () => {
  const workspace = await aWorkspace(app.storage.db)
  const owner = { ...(await aMember(workspace, 'owner')), slug: workspace.slug }
  const team = await aTeam(owner)
  const story = await aStory(owner, team)
  await aPolicy(owner, team, 'autonomous')
  const browser = await signedIn(app, owner)
  const read = async <T>(name: string, input: Record<string, string>) =>
    (await (await browser.read(name, input)).json()) as T

  const { agents } = await read<{ agents: string[] }>('stories.racers', { key: story.key })
  assert.deepEqual(agents, ['command', 'scripted'])
  const started = await browser.write('stories.race', { key: story.key, agents: ['scripted', 'command'] })
  const { run } = (await started.json()) as { run: string }
  let page = await read<RunPage>('runs.read', { key: run })
  const reading = async () => {
    page = await read<RunPage>('runs.read', { key: run })
    return page
  }
  await until('the race asks', async () => (await reading()).decisions.length > 0)
  assert.deepEqual(
    page.race?.agents.map(({ executor, state }) => [executor, state]),
    [
      ['scripted', 'verified'],
      ['command', 'verified'],
    ],
  )
  assert.deepEqual([page.race?.proposed, page.race?.because], [1, 'size'])

  type Shown = { diff: { additions: number; files: { path: string }[] } }
  const added = async (agent: string) => (await read<Shown>('runs.diff', { key: run, agent })).diff.additions
  const [first, second] = [await added('first'), await added('second')]
  assert.ok(first > second && second > 0, `${first} and ${second} lines`)

  const { key } = page.decisions[0] as Pick<Decision, 'key'>
  const answered = await browser.write('decisions.resolve', { key, optionId: 'merge_other' })
  assert.equal(answered.status, 200, await answered.text())
  await until('the other change is merged', async () => (await reading()).phase === 'succeeded')
  assert.equal(page.run.executor, 'scripted')
})

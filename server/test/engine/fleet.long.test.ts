import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listRunners } from '../../domain/engine/runners/list.ts'
import { testApp } from '../app.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { ABareRepository } from './bare-repository.ts'
import { aRunner } from './real-runner.ts'
import { aRepository } from './runner.ts'

/** A runner for each order: the real one, real git, one server. */

const script = {
  stories: {
    '*': {
      plan: [[{ result: 'plan.json', json: { plan: 'Write it.', paths: ['notes'], risk: 'low', lines: 1 } }]],
      spec: [
        [
          { result: 'acceptance/note.sh', text: 'test -f notes/{story}.txt && echo "ok - there"\n' },
          {
            result: 'acceptance/manifest.json',
            json: { command: 'sh .kanman/acceptance/{story}/note.sh', files: ['note.sh'] },
          },
        ],
      ],
      implement: [[{ write: 'notes/{story}.txt', text: '{story}\n' }]],
    },
  },
}

test('a run goes to its merge over ephemeral runners, one for each order, in one attempt, and none of them is listed', async (t) => {
  const repository = new ABareRepository()
  await repository.push('main', {
    'README.md': 'A shop.\n',
    '.kanman/gates.yml': 'gates:\n  - { name: notes, run: test -f README.md }\n',
  })
  const app = await testApp({ env: { GIT_ALLOW: repository.folder } })
  t.after(async () => {
    await app.stop()
    repository.remove()
  })
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { token } = await aToken(owner, ['read'])
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'autonomous', { isolation: 'none' })
  await aRepository(owner, team, repository.bare)
  await aStory(owner, team)
  const runs = async () =>
    (
      await app.storage.pool.query<{ phase: string; attempts: number; orders: number; runners: number }>(
        `select r.phase, r.attempts, count(*)::int as orders, count(distinct o.runner_id)::int as runners
        from runs r join work_orders o on o.run_id = r.id
        where r.workspace_id = $1 group by r.id`,
        [owner.workspaceId],
      )
    ).rows
  const said: string[] = []
  let started = 0
  while ((await runs())[0]?.phase !== 'succeeded') {
    assert.ok(started < 10, said.join('\n'))
    const runner = await aRunner(
      { url: app.url, token, gitFolder: repository.folder },
      { script, args: ['--ephemeral'] },
    )
    started += 1
    assert.deepEqual(await runner.ended, { exitCode: 0, why: null })
    said.push(...runner.said)
    await runner.stop()
  }
  const [run] = await runs()
  assert.deepEqual(run, { phase: 'succeeded', attempts: 1, orders: started, runners: started })
  assert.ok(started >= 4, 'planning, implementing, verifying, handing off')
  assert.deepEqual(await listRunners(owner), [])
})

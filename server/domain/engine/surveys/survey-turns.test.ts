import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { TestEngine } from '../../../test/engine/engine.ts'
import { aPolicy, aTeam } from '../../../test/factories.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { setRepositories } from '../../work/repositories/set.ts'
import { composeSurvey } from './compose-survey.ts'
import { readMaintenance } from './read-maintenance.ts'
import { startSurvey } from './start-survey.ts'
import { stopSurvey } from './stop-survey.ts'

const database = await testDatabase()
after(() => database.close())

test('the repositories of a team are surveyed in turns, one that was never looked at first', async () => {
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'trial')
  const named = (name: string) => ({ name, address: `/srv/git/${name}.git`, branch: 'main' })
  const have = (...names: string[]) => setRepositories(owner, null, team.slug, names.map(named))
  const look = async () => {
    const { key } = await startSurvey(owner, team.slug)
    const { rows } = await database.pool.query('select id from runs where key = $1 and workspace_id = $2', [
      key,
      owner.workspaceId,
    ])
    const order = await housekeeping(database.db, 'an order for a test', (tx) =>
      composeSurvey(owner, tx, { runId: rows[0].id, fence: 1 }, { EUR: 1, USD: 1 }),
    )
    await stopSurvey(owner, team.slug)
    return order?.repository.name
  }
  await have('api', 'web')
  const seen = [await look(), await look(), await look()]
  await have('api', 'docs', 'web')
  assert.deepEqual([...seen, await look(), await look()], ['api', 'web', 'api', 'docs', 'web'])
  const { surveys } = await readMaintenance(owner, team.slug)
  assert.deepEqual(surveys.map(({ repository }) => repository).toReversed(), [
    'api',
    'web',
    'api',
    'docs',
    'web',
  ])
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { maxViews } from '@signalbox/contract/limits.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { removeMember } from '../../accounts/workspaces/remove-member.ts'
import type { Context } from '../../context.ts'
import { listAudit } from '../../record/audit/list.ts'
import { listViews } from './list.ts'
import { removeView } from './remove.ts'
import { saveView } from './save.ts'

const database = await testDatabase()
after(() => database.close())

async function aPerson() {
  const workspace = await aWorkspace(database.db)
  const [me, other] = [await aMember(workspace, 'member'), await aMember(workspace, 'owner')]
  return { workspace, me, other, team: await aTeam(workspace) }
}

test('a view is saved, replaced and deleted by its person alone, and each is in the log', async () => {
  const { me, other, team } = await aPerson()
  const view = { team: team.slug, name: ' Small ones ', filter: { size: 's', sort: 'newest' } as const }
  const { id } = await saveView(me, me.personId, view)
  assert.deepEqual(await saveView(me, me.personId, { ...view, filter: { size: 's', mine: true } }), { id })
  assert.deepEqual(
    (await listViews(me, me.personId)).map(({ name, team: of, filter }) => ({ name, of, filter })),
    [{ name: 'Small ones', of: team.slug, filter: { size: 's', mine: true } }],
  )
  assert.deepEqual(await listViews(other, other.personId), [])
  await assert.rejects(removeView(other, other.personId, id), { code: 'not_found' })
  await removeView(me, me.personId, id)
  assert.deepEqual(await listViews(me, me.personId), [])
  const operator: Context = { ...me, actor: { type: 'system', name: 'test' } }
  const entries = (await listAudit(operator, { event: 'view_changed' }, { limit: 9, after: null })).data
    .map(fromJson)
    .map(({ entity, details }) => [entity.name, details.change, details.changes])
  assert.deepEqual(entries[1], [
    'Small ones',
    'replaced',
    [
      { field: 'sort', before: 'newest', after: null },
      { field: 'mine', before: null, after: true },
    ],
  ])
  assert.deepEqual(
    entries.map(([, change]) => change),
    ['removed', 'replaced', 'saved'],
  )
})

test('a view needs a name and a team, and there is an end to how many one has', async () => {
  const { me, team } = await aPerson()
  const save = (name: string, of = team.slug) => saveView(me, me.personId, { team: of, name, filter: {} })
  await assert.rejects(save('  '), { code: 'invalid_parameter', message: /`name`/ })
  await assert.rejects(save('x', 'none'), { code: 'team_not_found' })
  for (let n = 0; n < maxViews; n += 1) await save(`View ${n}`)
  await assert.rejects(save('One more'), { code: 'conflict', message: /Delete one/ })
  await save('View 1')
})

test('views go with the membership', async () => {
  const { me, other, team } = await aPerson()
  await saveView(me, me.personId, { team: team.slug, name: 'Mine', filter: { mine: true } })
  await removeMember(other, me.personId)
  assert.deepEqual(await listViews(me, me.personId), [])
})

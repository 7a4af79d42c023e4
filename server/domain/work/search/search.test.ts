import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { search } from './search.ts'

const database = await testDatabase()
after(() => database.close())

test('the story whose key is typed in full comes first, however many keys begin with it', async () => {
  const workspace = await aWorkspace(database.db)
  const team = await aTeam(workspace)
  const keys: string[] = []
  for (let n = 0; n < 16; n += 1) keys.push((await aStory(workspace, team)).key)
  const [first] = keys
  assert.ok(keys.filter((key) => key.startsWith(first!)).length > 5)
  const found = (await search(workspace, ` ${first!.toLowerCase()} `)).filter(({ noun }) => noun === 'story')
  assert.equal(found.length, 5)
  assert.equal(found[0]?.key, first)
  assert.deepEqual(
    found.slice(1).map(({ key }) => key),
    keys
      .filter((key) => key !== first && key.startsWith(first!))
      .toReversed()
      .slice(0, 4),
  )
})

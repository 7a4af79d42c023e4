import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import { offerPractice } from './offer.ts'
import { startPractice } from './start.ts'

const database = await testDatabase()
after(() => database.close())

test('where the machine cannot box an agent, practice is neither offered nor started, and says what is missing', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const line = 'apt-get install bubblewrap'
  const obstacle = { why: 'The agent works in a sandbox, which needs bubblewrap.', line }
  const ground = {
    obstacle: async () => obstacle,
    prepare: () => assert.fail('no repository is made'),
    clear: async () => {},
  }
  assert.deepEqual(await offerPractice(owner, ground), { project: null, obstacle })
  await assert.rejects(startPractice(owner, { ground, secrets: { encrypt: () => Buffer.alloc(0) } }), {
    code: 'conflict',
    message: `${obstacle.why} Install it there: ${line}`,
  })
  assert.deepEqual(await offerPractice(owner, { ...ground, obstacle: async () => null }), {
    project: null,
    obstacle: null,
  })
})

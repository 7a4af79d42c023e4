import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { addPerson } from '../../server/domain/accounts/workspaces/add-person.ts'
import { createWorkspace } from '../../server/domain/accounts/workspaces/create.ts'
import { testDatabase } from '../../server/test/database.ts'
import { aWorkspace } from '../../server/test/factories.ts'
import { owner } from '../halden-parcels/people.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { leaveChat } from './chat.ts'

const database = await testDatabase()
after(() => database.close())

test('a demo whose chat was disconnected and whose teams were deleted starts again', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-chat-'))
  t.after(() => rm(folder, { recursive: true }))
  const { slug, name } = haldenParcels
  const other = await aWorkspace(database.db)
  const { id: workspaceId } = await createWorkspace(other, { slug, name })
  await addPerson({ ...other, workspaceId }, { ...owner, role: 'owner' })
  await writeFile(path.join(folder, 'demo-chat.json'), JSON.stringify({ id: workspaceId }))
  await leaveChat(database, folder)
  assert.deepEqual(await readdir(folder), [])
})

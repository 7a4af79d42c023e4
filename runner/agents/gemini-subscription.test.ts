import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { measureBox } from '../box/measure.ts'
import { Site } from '../test/drive.ts'
import { whyNoMaker } from '../test/maker.ts'
import { startModel } from '../test/model/model.ts'
import { temporaryFolder } from '../test/origin.ts'
import { usageOf } from '../test/play.ts'
import { scripts } from '../test/scenarios.ts'
import { driveSubscribed } from '../test/subscribed.ts'
import { findAgents } from './find.ts'

const { box } = await measureBox()
const searchPath = path.join(import.meta.dirname, '..', '..', 'node_modules', '.bin')
const skip = box.isolation.backend === 'bubblewrap' ? (whyNoMaker() ?? false) : 'bubblewrap is not there'

test('the real Gemini CLI signs in with an account, edits a file in the box and reaches only its maker', {
  skip,
}, async (t) => {
  using site = new Site()
  await using model = await startModel(scripts(site.worktree, '/out'))
  const folder = temporaryFolder(t)
  const credentials = {
    ...{ access_token: 'google-access', refresh_token: 'google-refresh', token_type: 'Bearer' },
    ...{ scope: 'https://www.googleapis.com/auth/cloud-platform', expiry_date: Date.now() + 3_000_000 },
  }
  mkdirSync(path.join(folder, '.gemini'))
  writeFileSync(path.join(folder, '.gemini/oauth_creds.json'), JSON.stringify(credentials))
  const agent = findAgents({ searchPath, choices: ['gemini=native'] }).find(({ name }) => name === 'gemini')!
  const place = { home: folder, environment: {} }
  const prompt = 'Play scenario-edit.'
  const { seen, maker, signIn } = await driveSubscribed(agent, box, site, { model, folder, place, prompt })
  assert.deepEqual(seen.end, { ended: 'normally' }, JSON.stringify([seen.events, maker.calls]))
  assert.equal(readFileSync(path.join(site.worktree, 'greeting.txt'), 'utf8').trim(), 'Hello.')
  assert.deepEqual(
    usageOf(seen).map(({ amount, model: named, input, output }) => [amount, named, input, output]),
    [[null, 'gemini-2.5-pro', 3_000, 150]],
  )
  assert.deepEqual([...maker.authorizations], ['Bearer google-access'])
  assert.ok([...maker.hosts].every((host) => signIn.hosts.includes(host)))
  assert.ok(maker.hosts.has('cloudcode-pa.googleapis.com:443'))
})

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { currentAccount, storeAccount } from './accounts.ts'
import { appClientOf } from './app.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-accounts-'))
const names = ['XDG_CONFIG_HOME', 'SIGNALBOX_URL', 'SERVICE_API_KEY', 'SERVICE_API_KEY_FILE']
const before = names.map((name) => [name, process.env[name]] as const)
after(async () => {
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  await rm(folder, { recursive: true, force: true })
})

test('the token of a script can be in a file', async () => {
  const file = path.join(folder, 'token')
  await writeFile(file, 'tk_from_a_file\n')
  const { env } = process
  Object.assign(env, { XDG_CONFIG_HOME: folder, SIGNALBOX_URL: 'https://a.example' })
  env.SERVICE_API_KEY_FILE = file
  assert.equal((await currentAccount()).token, 'tk_from_a_file')
  env.SERVICE_API_KEY = 'tk_other'
  await assert.rejects(currentAccount(), /SERVICE_API_KEY and SERVICE_API_KEY_FILE are both set/)
  delete env.SERVICE_API_KEY
  env.SERVICE_API_KEY_FILE = path.join(folder, 'missing')
  await assert.rejects(currentAccount(), /SERVICE_API_KEY_FILE: the file .* cannot be read \(ENOENT\)/)
})

test('a token that is set takes the place of a sign-in, and what needs the sign-in says so', async () => {
  const { env } = process
  delete env.SERVICE_API_KEY_FILE
  Object.assign(env, {
    XDG_CONFIG_HOME: folder,
    SIGNALBOX_URL: 'https://a.example',
    SERVICE_API_KEY: 'tk_set',
  })
  const signedIn = { token: 'tk_own', tokenId: 't', workspace: 'acme', session: 'cookie=1' }
  await storeAccount({ url: 'https://a.example', ...signedIn })
  const account = await currentAccount()
  assert.deepEqual([account.token, account.session], ['tk_set', null])
  assert.throws(() => appClientOf(account), /SERVICE_API_KEY takes its place: unset it, then sign in with:/)
  delete env.SERVICE_API_KEY
  const own = await currentAccount()
  assert.deepEqual([own.token, own.session], ['tk_own', 'cookie=1'])
  appClientOf(own)
  assert.throws(
    () => appClientOf({ ...own, session: null }),
    /sign-in with the browser\. Sign in with: signalbox login --url https:\/\/a\.example/,
  )
})

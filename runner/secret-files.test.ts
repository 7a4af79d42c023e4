import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from './config.ts'
import { ExitError } from './exit-error.ts'
import { upstreamsFrom } from './gateway/apis.ts'
import { readSecretFiles } from './secret-files.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-secrets-'))
after(() => rm(folder, { recursive: true, force: true }))
const file = async (name: string, text: string) => {
  await writeFile(path.join(folder, name), text)
  return path.join(folder, name)
}

test('the token and the keys of models can be in files, and are masked as if they were not', async () => {
  const token = `tk_${'a'.repeat(32)}`
  const environment = readSecretFiles({
    SERVICE_API_KEY_FILE: await file('token', `${token}\n`),
    ANTHROPIC_API_KEY_FILE: await file('anthropic', 'sk-anthropic\n'),
    OPENAI_API_KEY_FILE: await file('openai', 'sk-openai'),
    GEMINI_API_KEY: 'sk-gemini',
  })
  const config = readConfig(['--url', 'https://a.example'], environment)
  assert.equal(config.token, token)
  const { anthropic, openai, google } = upstreamsFrom(environment)
  assert.deepEqual([anthropic?.key, openai?.key, google?.key], ['sk-anthropic', 'sk-openai', 'sk-gemini'])
  assert.deepEqual(new Set(config.secrets), new Set([token, 'sk-anthropic', 'sk-openai', 'sk-gemini']))
})

test('what is wrong with the files is said at once, without what is in them', async () => {
  const wrong = {
    SERVICE_API_KEY_FILE: path.join(folder, 'missing'),
    OPENAI_API_KEY_FILE: await file('empty', '\n'),
    GEMINI_API_KEY_FILE: await file('gemini', 'sk-hidden'),
    GEMINI_API_KEY: 'sk-gemini',
  }
  assert.throws(
    () => readSecretFiles(wrong),
    (error: Error) => {
      assert.ok(error instanceof ExitError && error.exitCode === 2)
      const said = error.message.split('\n')
      assert.match(said[0]!, /^SERVICE_API_KEY_FILE: the file .*missing cannot be read \(ENOENT\)\.$/)
      assert.match(said.join('\n'), /OPENAI_API_KEY_FILE: the file .* is empty/)
      assert.match(said.join('\n'), /GEMINI_API_KEY and GEMINI_API_KEY_FILE are both set\. Set one of them/)
      assert.doesNotMatch(error.message, /sk-/)
      return true
    },
  )
})

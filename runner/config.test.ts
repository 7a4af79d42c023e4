import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { ExitError } from './exit-error.ts'

const token = `tk_${'a'.repeat(32)}`
const mistakes = (args: string[], environment: NodeJS.ProcessEnv = { SERVICE_API_KEY: token }) => {
  try {
    readConfig(args, environment)
  } catch (error) {
    assert.ok(error instanceof ExitError)
    assert.equal(error.exitCode, 2)
    return error.message.split('\n')
  }
  return []
}

test('all mistakes are said at once, each with its remedy', () => {
  const said = mistakes(['--slots', '0'], {})
  assert.equal(said.length, 3)
  assert.match(said[0]!, /--url is missing\. Set it/)
  assert.match(said[1]!, /SERVICE_API_KEY is not set\. Create/)
  assert.match(said[2]!, /--slots takes a number from 1 to 64/)
})

test('the token is never sent in the clear to another machine', () => {
  assert.match(mistakes(['--url', 'http://signalbox.example.com'])[0]!, /unencrypted/)
  for (const url of ['http://127.0.0.1:4400', 'http://localhost:4400', 'https://signalbox.example.com'])
    assert.deepEqual(mistakes(['--url', url]), [])
})

test('what is no address, an address with a password and what is no token are refused', () => {
  assert.match(mistakes(['--url', 'signalbox'])[0]!, /is not a URL/)
  assert.match(mistakes(['--url', 'https://a:b@example.com'])[0]!, /a user name or password/)
  assert.match(mistakes(['--url', 'https://a.example'], { SERVICE_API_KEY: 'secret' })[0]!, /begin with tk_/)
  assert.match(mistakes(['--colour', 'red'])[1]!, /--help/)
})

test('a data folder that cannot be one is refused before anything is made', () => {
  const said = (folder: string) => mistakes(['--url', 'https://a.example', '--data', folder])
  const file = path.join(import.meta.dirname, 'config.ts')
  for (const folder of [file, path.join(file, 'x'), ...(process.platform === 'linux' ? ['/proc/x'] : [])]) {
    assert.equal(said(folder).length, 1, folder)
    assert.match(said(folder)[0]!, /^--data \/.*Name a folder on a disk that this account can write to\.$/)
  }
})

test('an ephemeral runner has one slot, and only it waits for so long', () => {
  const url = ['--url', 'https://a.example']
  assert.deepEqual(mistakes([...url, '--ephemeral', '--idle-seconds', '60']), [])
  assert.match(mistakes([...url, '--ephemeral', '--slots', '2'])[0]!, /one slot/)
  assert.match(mistakes([...url, '--idle-seconds', '60'])[0]!, /is for --ephemeral/)
})

test('what is given is taken, what is not has a default', () => {
  const config = readConfig(['--url', 'https://a.example/', '--labels', 'gpu, big'], {
    SERVICE_API_KEY: token,
  })
  assert.deepEqual(
    [config.slots, config.labels, config.pace, config.secrets],
    [1, ['gpu', 'big'], 1, [token]],
  )
  assert.match(config.data, /\.signalbox-runner$/)
  assert.ok(config.resourceLimits.memoryBytes >= 1e9)
  const given = readConfig(
    ['--url', 'https://a.example/', '--memory-gb', '3', '--processes', '500', '--quota-gb', '5'],
    { SERVICE_API_KEY: token },
  )
  assert.deepEqual(given.resourceLimits, { memoryBytes: 3e9, processes: 500, fileBytes: 5e9 })
  assert.match(mistakes(['--url', 'https://a.example', '--memory-gb', '0'])[0]!, /--memory-gb takes a number/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

test('nothing set is a working configuration on loopback', () => {
  const config = readConfig({})
  assert.equal(config.port, 4400)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.databaseUrl, null)
  assert.equal(config.rateLimitPerMinute, 120)
  assert.ok(Object.isFrozen(config))
})

test('all mistakes are reported at once, each with its name', () => {
  const wrong = {
    DATABASE_URL: 'mysql://root:hunter2@db/x',
    PORT: '99999',
    SECRET_KEY: 'short',
    TLS_CERT: '/no/such/file',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'loud',
    PUBLIC_URL: 'signalbox.example.com',
  }
  assert.throws(
    () => readConfig(wrong),
    (error: Error) => {
      assert.ok(error instanceof ConfigError)
      for (const name of Object.keys(wrong)) assert.match(error.message, new RegExp(name), name)
      assert.ok(!error.message.includes('hunter2'), 'a password is not repeated')
      return true
    },
  )
})

test('an address beyond this machine needs TLS or a trusted proxy', () => {
  assert.throws(() => readConfig({ HOST: '0.0.0.0' }), /TLS_CERT.*TRUST_PROXY/)
  assert.equal(readConfig({ HOST: '0.0.0.0', TRUST_PROXY: '10.0.0.0/8' }).host, '0.0.0.0')
})

test('requirements are split by rules unless a language model is set', () => {
  assert.equal(readConfig({}).splitter, null)
  const set = {
    SPLITTER_URL: 'https://models.example.com/v1/',
    SPLITTER_MODEL: 'm-1',
    SPLITTER_KEY: 'sk-hunter2',
  }
  assert.deepEqual(readConfig(set).splitter, {
    url: 'https://models.example.com/v1',
    api: 'openai',
    model: 'm-1',
    key: 'sk-hunter2',
  })
  assert.equal(readConfig({ ...set, SPLITTER_API: 'anthropic' }).splitter?.api, 'anthropic')
  assert.equal(readConfig({ SPLITTER_URL: 'http://[::1]:8080', SPLITTER_MODEL: 'm-1' }).splitter?.key, null)
})

test('a language model that is half set or would get its key in the open is a mistake that does not repeat the key', () => {
  const key = 'sk-hunter2'
  for (const [wrong, complaint] of [
    [{ SPLITTER_URL: 'https://models.example.com' }, /SPLITTER_MODEL/],
    [{ SPLITTER_MODEL: 'm-1' }, /SPLITTER_URL/],
    [{ SPLITTER_KEY: key }, /SPLITTER_URL/],
    [{ SPLITTER_API: key }, /SPLITTER_API/],
    [{ SPLITTER_URL: `ftp://${key}@models.example.com`, SPLITTER_MODEL: 'm-1' }, /SPLITTER_URL/],
    [{ SPLITTER_URL: `https://:${key}@models.example.com`, SPLITTER_MODEL: 'm-1' }, /SPLITTER_KEY/],
    [{ SPLITTER_URL: 'http://models.example.com', SPLITTER_MODEL: 'm-1', SPLITTER_KEY: key }, /https/],
  ] as const) {
    assert.throws(
      () => readConfig(wrong),
      (error: Error) => complaint.test(error.message) && !error.message.includes(key),
      JSON.stringify(wrong),
    )
  }
  assert.ok(
    readConfig({ SPLITTER_URL: 'http://[::1]:8080', SPLITTER_MODEL: 'm-1', SPLITTER_KEY: key }).splitter,
  )
})

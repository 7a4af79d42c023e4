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

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig, type secretSettings } from './config.ts'

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

test('a replica is one host, of the database in DATABASE_URL', () => {
  const DATABASE_URL = 'postgresql://u@one,two/x'
  const DATABASE_READ_URL = 'postgresql://u:hunter2@replica/x'
  assert.equal(readConfig({ DATABASE_URL, DATABASE_READ_URL }).databaseReadUrl, DATABASE_READ_URL)
  assert.throws(() => readConfig({ DATABASE_READ_URL }), /DATABASE_READ_URL is a replica of .* Set both/)
  assert.throws(
    () => readConfig({ DATABASE_URL, DATABASE_READ_URL: 'postgresql://u@one,two/x' }),
    /DATABASE_READ_URL must name one host/,
  )
})

test('the address of the database may name several hosts, each of which is checked', () => {
  const several = 'postgresql://u:hunter2@one:5432,two:5433/x'
  assert.equal(
    readConfig({ DATABASE_URL: `${several}?sslmode=require` }).databaseUrl,
    `${several}?sslmode=verify-full`,
  )
  assert.throws(
    () => readConfig({ DATABASE_URL: 'postgresql://u:hunter2@one:5432,two:no/x' }),
    (error: Error) => {
      assert.match(error.message, /DATABASE_URL is not an address that can be read\. Check its host and port/)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
})

test('every secret can be read from a file, which is named when it is missing, empty or not the only one', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-config-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'secret')
  const empty = path.join(folder, 'empty')
  const values: Record<(typeof secretSettings)[number], string> = {
    DATABASE_URL: 'postgresql://u:hunter2@db/x',
    DATABASE_DIRECT_URL: 'postgresql://u:hunter2@direct/x',
    DATABASE_READ_URL: 'postgresql://u:hunter2@replica/x',
    SECRET_KEY: 'a key for tests that is long enough',
    SECRET_KEY_PREVIOUS: 'the key before, which is long enough too',
    OPERATOR_TOKEN: 'a-token-of-the-operator-that-is-long-enough',
    SPLITTER_KEY: 'sk-hunter2',
    SMTP_URL: 'smtp://u:hunter2@mail.example.com',
    OIDC_CLIENT_SECRET: 'hunter2',
    BACKUP_PASSPHRASE: 'correct horse battery staple',
    AUDIT_STREAM_SECRET: `whsec_${'hunter2a'.repeat(4)}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2',
    CHECKPOINT_WEBHOOK_SECRET: `whsec_${'hunter2b'.repeat(4)}`,
  }
  const others = {
    ...{ SPLITTER_URL: 'https://models.example.com', SPLITTER_MODEL: 'm', MAIL_FROM: 'a@example.com' },
    ...{ OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'c' },
    AUDIT_STREAM: 'https://siem.example.com/hook',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.com:4318',
    CHECKPOINT_WEBHOOK: 'https://vault.example.com/hook',
  }
  await writeFile(empty, ' \n')
  for (const [name, value] of Object.entries(values)) {
    const rest = { ...others, ...values, [name]: '' }
    await writeFile(file, `${value}\n`)
    assert.deepEqual(readConfig({ ...rest, [`${name}_FILE`]: file }), readConfig({ ...others, ...values }))
    const refused: [string, RegExp][] = [
      [path.join(folder, 'none'), new RegExp(`${name}_FILE: the file .* cannot be read \\(ENOENT\\)`)],
      [empty, new RegExp(`${name}_FILE: the file .* is empty`)],
    ]
    for (const [given, why] of refused)
      assert.throws(() => readConfig({ ...rest, [`${name}_FILE`]: given }), why)
    assert.throws(
      () => readConfig({ ...others, ...values, [`${name}_FILE`]: file }),
      new RegExp(`${name} and ${name}_FILE are both set`),
    )
  }
})

test('an address beyond this machine needs TLS or a trusted proxy', () => {
  assert.throws(() => readConfig({ HOST: '0.0.0.0' }), /TLS_CERT.*TRUST_PROXY/)
  assert.equal(readConfig({ HOST: '0.0.0.0', TRUST_PROXY: '10.0.0.0/8' }).host, '0.0.0.0')
})

test('the operator’s port beyond this machine needs a token', () => {
  assert.throws(() => readConfig({ OPERATOR_HOST: '0.0.0.0' }), /OPERATOR_HOST.*OPERATOR_TOKEN/)
  assert.throws(() => readConfig({ OPERATOR_TOKEN: 'short' }), /OPERATOR_TOKEN must have at least 32/)
  assert.equal(readConfig({ OPERATOR_HOST: '0.0.0.0', OPERATOR_PORT: 'off' }).operator, null)
  const token = 'a-token-of-the-operator-that-is-long-enough'
  const operator = { host: '0.0.0.0', port: 4401, token }
  assert.deepEqual(readConfig({ OPERATOR_HOST: '0.0.0.0', OPERATOR_TOKEN: token }).operator, operator)
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

test('no one gets e-mail unless a mail server and a sender are set', () => {
  assert.equal(readConfig({}).mail, null)
  const MAIL_FROM = 'Signalbox <alerts@example.com>'
  assert.deepEqual(readConfig({ SMTP_URL: 'smtp://me:p%40ss@mail.example.com', MAIL_FROM }).mail, {
    host: 'mail.example.com',
    port: 587,
    secure: false,
    insistOnTls: true,
    login: { user: 'me', password: 'p@ss' },
    from: { name: 'Signalbox', address: 'alerts@example.com' },
  })
  assert.deepEqual(readConfig({ SMTP_URL: 'smtps://[::1]', MAIL_FROM: 'alerts@example.com' }).mail, {
    host: '::1',
    port: 465,
    secure: true,
    insistOnTls: false,
    login: null,
    from: { name: '', address: 'alerts@example.com' },
  })
  assert.equal(readConfig({ SMTP_URL: 'smtp://me:pass@127.0.0.1:2525/', MAIL_FROM }).mail?.insistOnTls, false)
})

test('e-mail that is half set or cannot be sent is a mistake that does not repeat the password', () => {
  const SMTP_URL = 'smtp://me:hunter2@mail.example.com:587'
  const MAIL_FROM = 'alerts@example.com'
  for (const [wrong, complaint] of [
    [{ SMTP_URL }, /MAIL_FROM/],
    [{ MAIL_FROM }, /SMTP_URL/],
    [{ SMTP_URL: SMTP_URL.replace('smtp', 'https'), MAIL_FROM }, /SMTP_URL must/],
    [{ SMTP_URL: `${SMTP_URL}/?tls.rejectUnauthorized=false`, MAIL_FROM }, /nothing after the port/],
    [{ SMTP_URL: 'smtp://:hunter2@mail.example.com', MAIL_FROM }, /a user name and a password/],
    [{ SMTP_URL: 'smtp://me:hunter2%@mail.example.com', MAIL_FROM }, /a user name and a password/],
    [{ SMTP_URL, MAIL_FROM: 'Signalbox' }, /MAIL_FROM must/],
    [{ SMTP_URL, MAIL_FROM: 'a@example.com, b@example.com' }, /MAIL_FROM must/],
    [{ SMTP_URL, MAIL_FROM: 'Me <a@example.com>\r\nBcc: b@example.com' }, /MAIL_FROM must/],
    [{ SMTP_URL, MAIL_FROM: 'Me\nBcc: b@example.com <a@example.com>' }, /MAIL_FROM must/],
  ] as const)
    assert.throws(
      () => readConfig(wrong),
      (error: Error) => complaint.test(error.message) && !error.message.includes('hunter2'),
      JSON.stringify(wrong),
    )
})

test('uptime checks may reach what the operator names, and a name that is none is a mistake', () => {
  assert.deepEqual(readConfig({}).uptimeAllow, [])
  assert.deepEqual(
    readConfig({ UPTIME_ALLOW: 'Status.internal, 10.20.0.0/16,127.0.0.1,::1, fd00::/8,' }).uptimeAllow,
    ['status.internal', '10.20.0.0/16', '127.0.0.1', '::1', 'fd00::/8'],
  )
  for (const wrong of [
    'http://a.internal',
    'a.internal:80',
    '10.0.0.0/33',
    'a.internal/8',
    '10.0.0.0/8/8',
    '*.internal',
    '[::1]',
  ])
    assert.throws(() => readConfig({ UPTIME_ALLOW: wrong }), /UPTIME_ALLOW/, wrong)
})

test('repositories may be read from hosts, networks and folders that the operator names', () => {
  assert.deepEqual(readConfig({}).gitAllow, [])
  assert.deepEqual(readConfig({ GIT_ALLOW: 'Git.internal, 10.20.0.0/16, /srv/Git' }).gitAllow, [
    'git.internal',
    '10.20.0.0/16',
    '/srv/Git',
  ])
  for (const wrong of ['https://git.internal', 'git.internal:22', 'srv/git', './srv'])
    assert.throws(() => readConfig({ GIT_ALLOW: wrong }), /GIT_ALLOW/, wrong)
})

test('the audit log is not sent in the clear to another machine', () => {
  const AUDIT_STREAM_SECRET = `whsec_${'hunter2a'.repeat(4)}`
  const read = (AUDIT_STREAM: string) => readConfig({ AUDIT_STREAM, AUDIT_STREAM_SECRET }).auditStream?.kind
  assert.throws(() => read('http://siem.example.com/hook'), /AUDIT_STREAM must be https or syslog\+tls/)
  assert.equal(read('http://127.0.0.1:9000/hook'), 'webhook')
  assert.equal(read('https://siem.example.com/hook'), 'webhook')
})

test('an address that would be sent without its name and password is a mistake that does not repeat them', () => {
  const settings = {
    AUDIT_STREAM: 'https://siem:hunter2@siem.example.com/hook',
    CHECKPOINT_WEBHOOK: 'https://:hunter2@vault.example.com/',
    TIMESTAMP_URL: 'https://acme:hunter2@tsa.example.com/',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://acme:hunter2@otel.example.com',
  }
  for (const [name, value] of Object.entries(settings))
    assert.throws(
      () => readConfig({ [name]: value }),
      ({ message }: Error) =>
        message.includes(`${name} must not contain a user name or password. `) &&
        !message.includes('hunter2'),
      name,
    )
})

test('an identity provider is set whole and by https, and a mistake does not repeat the secret', () => {
  assert.equal(readConfig({}).oidc, null)
  const whole = {
    OIDC_ISSUER: 'https://login.example.com/realms/staff/',
    OIDC_CLIENT_ID: 'signalbox',
    OIDC_CLIENT_SECRET: 'hunter2',
  }
  assert.deepEqual(readConfig(whole).oidc, {
    issuer: 'https://login.example.com/realms/staff',
    clientId: 'signalbox',
    clientSecret: 'hunter2',
    name: 'Single sign-on',
  })
  for (const [wrong, complaint] of [
    [{ ...whole, OIDC_ISSUER: '' }, /OIDC_ISSUER is not set/],
    [{ ...whole, OIDC_CLIENT_ID: '' }, /OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are needed/],
    [{ ...whole, OIDC_CLIENT_SECRET: '' }, /OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are needed/],
    [{ ...whole, OIDC_ISSUER: 'http://login.example.com' }, /OIDC_ISSUER must be https/],
    [{ ...whole, OIDC_ISSUER: 'https://login.example.com/?a=b' }, /without a user name, password or query/],
  ] as const)
    assert.throws(
      () => readConfig(wrong),
      (error: Error) => complaint.test(error.message) && !error.message.includes('hunter2'),
      JSON.stringify(wrong),
    )
})

test('a setting that does nothing without another one is refused alone, with what to do', () => {
  const [secret, ca] = [`whsec_${'hunter2a'.repeat(4)}`, path.join(import.meta.dirname, 'config.ts')]
  const alone = {
    DATABASE_URL: { DATABASE_DIRECT_URL: 'postgresql://u@db/x', DATABASE_READ_URL: 'postgresql://u@db/x' },
    DATABASE_READ_URL: { DATABASE_READ_LAG_SECONDS: '9' },
    SPLITTER_URL: { SPLITTER_MODEL: 'm', SPLITTER_KEY: 'hunter2', SPLITTER_API: 'openai' },
    SMTP_URL: { MAIL_FROM: 'a@example.com', CHECKPOINT_EMAIL: 'a@example.com' },
    OIDC_ISSUER: { OIDC_CLIENT_ID: 'c', OIDC_CLIENT_SECRET: 'hunter2', OIDC_NAME: 'Acme login' },
    BACKUP_DIR: { BACKUP_EVERY_HOURS: '6', BACKUP_KEEP: '3' },
    AUDIT_STREAM: { AUDIT_STREAM_SECRET: secret, AUDIT_STREAM_CA: ca },
    RETENTION_AUDIT_MONTHS: { AUDIT_ARCHIVE_DIR: '/srv/archive' },
    AUDIT_ARCHIVE_DIR: { RETENTION_AUDIT_MONTHS: '12' },
    CHECKPOINT_WEBHOOK: { CHECKPOINT_WEBHOOK_SECRET: secret },
    'CHECKPOINT_DIR or CHECKPOINT_WEBHOOK': { CHECKPOINT_EVERY_MINUTES: '5' },
    TLS_CERT: { TLS_KEY: ca },
    TLS_KEY: { TLS_CERT: ca },
  }
  for (const [needed, settings] of Object.entries(alone))
    for (const [name, value] of Object.entries(settings))
      assert.throws(
        () => readConfig({ [name]: value }),
        ({ message }: Error) =>
          message.includes(name) && message.includes(needed) && !message.includes('hunter2'),
        name,
      )
  assert.throws(
    () => readConfig({ AUDIT_STREAM_SECRET: secret }),
    /^Error: AUDIT_STREAM_SECRET is set, but it does nothing without AUDIT_STREAM\. Set that too, or remove/,
  )
  const AUDIT_STREAM = 'syslog+tls://siem.example.com'
  assert.throws(() => readConfig({ AUDIT_STREAM, AUDIT_STREAM_SECRET: secret }), /leads to syslog/)
  assert.throws(
    () => readConfig({ AUDIT_STREAM: 'https://a.example', AUDIT_STREAM_SECRET: secret, AUDIT_STREAM_CA: ca }),
    /leads to a webhook/,
  )
  assert.ok(readConfig({ CHECKPOINT_DIR: '/srv/checkpoints', CHECKPOINT_EVERY_MINUTES: '5' }))
})

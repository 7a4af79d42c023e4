import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { ApiError } from '@signalbox/client'
import { configurationText, locating, readConfigurationFile, withSecrets } from './configuration-file.ts'

test('secrets are read where the file says, left out of a comparison and demanded by an apply', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-secrets-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'key.pem')
  await writeFile(file, 'of a file\n')
  process.env.SIGNALBOX_TEST_SECRET = 'of a variable'
  t.after(() => delete process.env.SIGNALBOX_TEST_SECRET)
  const configuration = {
    version: 1,
    connections: { code: { credentials: { token: { env: 'SIGNALBOX_TEST_SECRET' }, privateKey: { file } } } },
    sources: { pager: { secret: { env: 'SIGNALBOX_TEST_NOTHING' } } },
  }
  const given = { configuration, located: (message: string) => message }
  await assert.rejects(
    withSecrets(given, 'refused'),
    /^Error: sources\.pager\.secret: the variable SIGNALBOX_TEST_NOTHING was not found/,
  )
  const written = { sources: { pager: { secret: 'a secret of mine' } } }
  for (const missing of ['refused', 'left out'] as const)
    await assert.rejects(withSecrets({ ...given, configuration: written }, missing), {
      message: 'sources.pager.secret must name where the secret is, as { env: NAME } or { file: PATH }.',
    })
  assert.deepEqual(await withSecrets(given, 'left out'), {
    version: 1,
    connections: {
      code: { credentials: { token: { value: 'of a variable' }, privateKey: { value: 'of a file' } } },
    },
    // That there is one is said all the same.
    sources: { pager: { secret: { env: 'SIGNALBOX_TEST_NOTHING' } } },
  })
})

test('what is refused is told with its line in the file, also where names have dots', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-lines-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'signalbox.yaml')
  const lines = [
    ...['version: 1', '# Who is who', 'members:', '  robin: { role: member }'],
    ...['  robin@example.com:', '    role: king'],
    ...['services:', '  shop: &shop', '    name: Shop', '    notify:', '      - ghost@example.com'],
    ...['  web shop: *shop', 'webhooks: { all: { url: x, events: [run.exploded] } }'],
  ]
  await writeFile(file, lines.join('\n'))
  const read = await readConfigurationFile(file)
  const cases: [said: string, told: string][] = [
    [
      '`configuration.members.robin@example.com.role` must be one of owner, admin, member.',
      ', line 6: `members.',
    ],
    ['members.robin@example.com: No member has this email address.', ', line 5: members.robin@'],
    ['There is no field `configuration.teamz` here.', 'There is no field `teamz` here.'],
    [
      'services.web shop: notify names ghost@example.com, who is not a member.',
      ', line 12: services.web shop:',
    ],
    ['`configuration.services.shop.notify.0` must be a string.', ', line 11: `services.shop.notify.0`'],
    ['`configuration.webhooks.all.events.0` must be one of a, b.', ', line 13: `webhooks.all.events.0`'],
    ['The token lacks the permission.', 'The token lacks the permission.'],
  ]
  for (const [message, told] of cases) {
    const answer = { status: 400, code: 'invalid_request', message, requestId: null, retryAfterSeconds: null }
    const refused = locating(read, () =>
      Promise.reject(new ApiError(answer as ConstructorParameters<typeof ApiError>[0])),
    )
    await assert.rejects(refused, (error: Error) => {
      assert.ok(error.message.startsWith(told.startsWith(',') ? `${file}${told}` : told), error.message)
      return true
    })
  }
  await writeFile(file, 'hello')
  await assert.rejects(
    readConfigurationFile(file),
    /must have fields, such as teams\. Begin with: version: 1/,
  )
})

test('a file is read as it was written; one with a key twice, or with no end, is refused', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-file-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'signalbox.yaml')
  const configuration = { version: 1, teams: { web: { name: 'no: "yes" #1', keyPrefix: 'NO' } } } as const
  await writeFile(file, configurationText(configuration))
  assert.deepEqual((await readConfigurationFile(file)).configuration, configuration)
  await writeFile(file, '\n')
  await assert.rejects(readConfigurationFile(file), /is empty\. Begin with: version: 1/)
  await writeFile(file, 'teams: {}\nteams: {}\n')
  await assert.rejects(readConfigurationFile(file), /is not YAML/)
  const levels = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(9)}]`)
  await writeFile(file, ['l0: &l0 [x]', ...levels].join('\n'))
  await assert.rejects(readConfigurationFile(file), /is not YAML/)
  await assert.rejects(readConfigurationFile(path.join(folder, 'none')), /no such file/)
})

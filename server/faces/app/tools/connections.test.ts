import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { ConnectionRow, HookDeliveryRow, TeamBindings } from '@signalbox/contract/app/connections.ts'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { json, refusal } from '../../../test/answers.ts'
import { testApp } from '../../../test/app.ts'
import { GithubDouble } from '../../../test/doubles/github.ts'
import { GitlabDouble } from '../../../test/doubles/gitlab.ts'
import { JiraDouble } from '../../../test/doubles/jira.ts'
import { LinearDouble } from '../../../test/doubles/linear.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { browsersOf, signedIn } from '../../../test/signed-in.ts'
import { tables } from '../../../test/tables.ts'
import { until } from '../../../test/until.ts'

describe('connections in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  let github: GithubDouble
  before(async () => {
    app = await testApp({ env: { CONNECTION_ALLOW: '127.0.0.1' } })
    github = await new GithubDouble().start()
    github.addToken('ghp_good')
    github.addToken('ghp_better', { login: 'better-bot' })
    github.addToken('ghp_weak', { scopes: ['public_repo'] })
  })
  after(async () => {
    await app.stop()
    await github.stop()
  })

  async function aWorld() {
    const workspace = await aWorkspace(app.storage.db)
    const team = await aTeam(workspace)
    const as = browsersOf(app, workspace)
    const admin = await as('admin')
    const connect = (credentials: object, more: object = {}) =>
      admin.write('connections.connect', {
        ...{ kind: 'github', name: 'Our GitHub', baseUrl: github.url, credentials },
        ...more,
      })
    const connected = async (token = 'ghp_good') =>
      json<{ id: string; account: string; missing: string[]; hookUrl: string; webhookSecret: string }>(
        await connect({ token }),
      )
    const row = async (id: string) =>
      json<ConnectionRow>(await admin.read('connections.read', { connection: id }))
    const audit = async () =>
      (await json<{ data: AuditEntry[] }>(await admin.read('audit.list', { event: 'connection_changed' })))
        .data
    return { workspace, team, as, admin, connect, connected, row, audit }
  }

  test('an admin connects GitHub, sees as whom, and the credentials are sealed, never shown and audited', async () => {
    const { admin, connected, row, audit } = await aWorld()
    const made = await connected()
    assert.equal(made.account, 'signalbox-bot')
    assert.deepEqual(made.missing, [])
    const shown = await row(made.id)
    assert.equal(shown.method, 'token')
    assert.ok(shown.lastSuccessAt)
    const everything = [
      JSON.stringify(shown),
      await (await admin.read('connections.list')).text(),
      JSON.stringify(await audit()),
      app.log.join('\n'),
    ].join('\n')
    assert.doesNotMatch(everything, /ghp_good/)
    assert.ok(!everything.includes(made.webhookSecret))
    const [stored] = await tables(app.storage.db)
      .selectFrom('connections')
      .select(['credentials', 'webhook_secret', 'hook_token'])
      .where('id', '=', made.id)
      .execute()
    for (const bytes of Object.values(stored!))
      assert.doesNotMatch(Buffer.from(bytes!).toString('latin1'), /ghp_good/)
    const [entry] = await audit()
    assert.deepEqual(
      [entry?.details.change, entry?.details.account, entry?.entity.name],
      ['connected', 'signalbox-bot', 'Our GitHub'],
    )
  })

  test('what the tool refuses is not kept, and the refusal is a sentence', async () => {
    const { admin, connect, audit } = await aWorld()
    assert.deepEqual(await refusal(await connect({ token: 'ghp_wrong' })), {
      ...{ status: 422, code: 'tool_refused' },
      message: 'GitHub rejected the credentials (status 401). Replace them.',
    })
    assert.deepEqual(await json(await admin.read('connections.list')), { data: [] })
    assert.deepEqual(await audit(), [])
    assert.doesNotMatch(app.log.join('\n'), /ghp_wrong/)
  })

  test('a credential whose name is more than a line, or whose value is no text, is refused with a sentence', async () => {
    const { connect } = await aWorld()
    for (const credentials of [{ 'a\nb': { a: 1 } }, { 'a\nb': 'x' }, { '': 'x' }, { 'a\u2028': {} }]) {
      const { status, message } = await refusal(await connect({ token: 'ghp_good', ...credentials }))
      assert.equal(status, 400)
      assert.match(message, /^`credentials` has a name that cannot be used/)
    }
  })

  test('a test says which permission is missing', async () => {
    const { admin, connected, row } = await aWorld()
    const made = await connected('ghp_weak')
    assert.deepEqual(made.missing, ['The token needs the scope `repo`.'])
    github.addToken('ghp_weak', { scopes: ['repo'] })
    assert.deepEqual(await json(await admin.write('connections.test', { connection: made.id })), {
      ...{ account: 'signalbox-bot', missing: [] },
    })
    assert.deepEqual((await row(made.id)).missing, [])
    github.addToken('ghp_weak', { scopes: ['public_repo'] })
  })

  test('credentials are replaced without a gap: those that the tool refuses do not take the place of the old ones', async () => {
    const { admin, connected, row, audit } = await aWorld()
    const { id } = await connected()
    const replace = (token: string) =>
      admin.write('connections.replaceCredentials', { connection: id, credentials: { token } })
    assert.equal((await refusal(await replace('ghp_wrong'))).code, 'tool_refused')
    await json(await admin.write('connections.test', { connection: id }))
    assert.equal((await row(id)).account, 'signalbox-bot')
    await json(await replace('ghp_better'))
    assert.equal((await row(id)).account, 'better-bot')
    assert.equal(github.asked.at(-1)?.headers.authorization, 'Bearer ghp_better')
    assert.deepEqual(
      (await audit()).map(({ details }) => details.change),
      ['credentials_replaced', 'tested', 'connected'],
    )
  })

  test('members see how a connection fares, and neither its address nor a way to change it', async () => {
    const { as, connected } = await aWorld()
    const { id } = await connected()
    const member = await as('member')
    const shown = await json<ConnectionRow>(await member.read('connections.read', { connection: id }))
    assert.equal(shown.hookUrl, null)
    const tries = [
      member.write('connections.connect', { kind: 'github', name: 'x', credentials: { token: 'y' } }),
      member.write('connections.test', { connection: id }),
      member.write('connections.disconnect', { connection: id }),
      member.write('connections.replaceCredentials', { connection: id, credentials: { token: 'y' } }),
      member.write('connections.replaceSecret', { connection: id }),
      member.read('connections.repositories', { connection: id }),
    ]
    for (const one of tries) assert.equal((await refusal(await one)).code, 'insufficient_role')
  })

  test('another workspace has no such connection', async () => {
    const { id } = await (await aWorld()).connected()
    const { admin } = await aWorld()
    const answer = await refusal(await admin.write('connections.test', { connection: id }))
    assert.equal(answer.code, 'connection_not_found')
  })

  test('health says the last success, the last refusal in words, and what is left of the limit', async () => {
    const { admin, connected, row } = await aWorld()
    const { id } = await connected()
    github.addToken('ghp_revoked')
    await json(
      await admin.write('connections.replaceCredentials', {
        ...{ connection: id, credentials: { token: 'ghp_revoked' } },
      }),
    )
    github.tokens.delete('ghp_revoked')
    const tested = await refusal(await admin.write('connections.test', { connection: id }))
    assert.match(tested.message, /rejected the credentials/)
    const shown = await row(id)
    assert.match(shown.lastRefusal!, /^GitHub rejected the credentials/)
    assert.equal(shown.limit?.of, 5_000)
    assert.ok(shown.limit!.left < 5_000)
  })

  test('a tool that is away, slow with its answer or tired of us is told as such', async () => {
    const { admin, connected } = await aWorld()
    const { id } = await connected()
    const test = async () => refusal(await admin.write('connections.test', { connection: id }))
    github.fail({ status: 502, text: 'bad gateway' })
    assert.deepEqual(await test(), {
      ...{ status: 503, code: 'tool_unavailable', message: 'GitHub answered with status 502.' },
    })
    github.fail('half')
    assert.equal((await test()).code, 'tool_unavailable')
    github.fail({ status: 403, headers: { 'retry-after': '60' }, json: { message: 'secondary rate limit' } })
    assert.equal((await test()).message, 'GitHub says we called too often.')
  })

  test('a wrong address of a tool is a sentence at info, and no stack', async () => {
    const { connect } = await aWorld()
    const begin = app.log.length
    const { status, message } = await refusal(
      await connect({ token: 'ghp_good' }, { baseUrl: 'http://127.0.0.1:9' }),
    )
    assert.ok(status >= 400, `${status}`)
    const said = app.log.slice(begin).map((line) => JSON.parse(line) as { level: number; err?: unknown })
    assert.deepEqual(
      said.filter(({ level, err }) => level > 30 || err),
      [],
      message,
    )
  })

  test('a GitHub App signs in with its key, and its permissions are checked', async () => {
    const { connect } = await aWorld()
    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const permissions = { contents: 'write', issues: 'write', pull_requests: 'read', checks: 'write' }
    const installations = [{ id: 77, app_slug: 'signalbox', permissions }]
    github.app = { id: '12', publicKey: pair.publicKey, installations }
    const credentials = { appId: '12', installationId: '77', privateKey: pair.privateKey }
    const made = await json<{ account: string; missing: string[] }>(await connect(credentials))
    assert.equal(made.account, 'signalbox[bot]')
    assert.deepEqual(made.missing, ['The app needs the permission “Pull requests: Read and write”.'])
    const wrong = await refusal(await connect({ ...credentials, privateKey: 'not a key' }))
    assert.match(wrong.message, /private key can’t be read/)
  })

  test('GitLab, Jira Cloud, Jira Data Center and Linear are connected the same way', async () => {
    const { admin, connect } = await aWorld()
    const [gitlab, jira, linear] = await Promise.all([
      new GitlabDouble().start(),
      new JiraDouble().start(),
      new LinearDouble().start(),
    ])
    try {
      gitlab.addToken('glpat-1', { scopes: ['read_api'] })
      gitlab.addProject('halden/shop')
      jira.addAccount({ email: 'bot@example.com', token: 'cloud' }, { permissions: ['BROWSE_PROJECTS'] })
      jira.addAccount({ token: 'center' })
      jira.addProject('WEB', 'Web shop')
      linear.addKey('lin_api_1')
      linear.addTeam('SHOP', 'Shop')
      const tools = [
        { kind: 'gitlab', baseUrl: gitlab.url, credentials: { token: 'glpat-1' } },
        { kind: 'jira', baseUrl: jira.url, credentials: { email: 'bot@example.com', token: 'cloud' } },
        { kind: 'jira', baseUrl: jira.url, credentials: { token: 'center' } },
        { kind: 'linear', baseUrl: linear.url, credentials: { token: 'lin_api_1' } },
      ]
      const seen = []
      for (const { credentials, ...tool } of tools) {
        const made = await json<{ id: string; account: string; missing: string[] }>(
          await connect(credentials, tool),
        )
        const projects = await json<{ data: { key: string }[] }>(
          await admin.read('connections.projects', { connection: made.id, query: 'sho' }),
        )
        await json(
          await admin.write('connections.makeWebhook', { connection: made.id, scope: scopeOf(tool.kind) }),
        )
        seen.push([made.account, made.missing.length, projects.data.map(({ key }) => key).join()])
      }
      function scopeOf(kind: string) {
        if (kind === 'gitlab') return { id: `${gitlab.projects[0]!.id}`, name: 'halden/shop' }
        const { id, key } = kind === 'jira' ? jira.projects[0]! : linear.teams[0]!
        return { id, name: key }
      }
      assert.deepEqual(seen, [
        ['signalbox', 1, 'halden/shop'],
        ['bot@example.com', 4, 'WEB'],
        ['signalbox', 0, 'WEB'],
        ['bot@example.com', 0, 'SHOP'],
      ])
      assert.equal(jira.hooks.length, 2)
      assert.equal(linear.webhooks.length, 1)
      assert.equal(gitlab.hooks.get(gitlab.projects[0]!.id)?.length, 1)
    } finally {
      await Promise.all([gitlab.stop(), jira.stop(), linear.stop()])
    }
  })

  test('a connection’s secrets reach neither a log nor an error nor the browser, though its tool repeats them', async () => {
    const { admin, connect, audit } = await aWorld()
    const said: string[] = []
    const asked = async (response: Promise<Response>) => {
      const answer = await response
      said.push(await answer.text(), [...answer.headers].join('\n'))
      return answer.status
    }
    const [gitlab, jira, linear] = await Promise.all([
      new GitlabDouble().start(),
      new JiraDouble().start(),
      new LinearDouble().start(),
    ])
    try {
      const canary = (kind: string) => `canary-${kind}-do-not-tell`
      github.addToken(canary('github'))
      gitlab.addToken(canary('gitlab'))
      jira.addAccount({ email: 'bot@example.com', token: canary('jira') })
      linear.addKey(canary('linear'))
      const doubles = { github, gitlab, jira, linear }
      const hidden: string[] = []
      for (const [kind, double] of Object.entries(doubles)) {
        const token = canary(kind)
        const credentials = kind === 'jira' ? { email: 'bot@example.com', token } : { token }
        const made = await json<{ id: string; hookUrl: string; webhookSecret: string }>(
          await connect(credentials, { kind, baseUrl: double.url }),
        )
        const sent = Buffer.from(`bot@example.com:${token}`).toString('base64')
        hidden.push(token, sent, made.webhookSecret)
        const { id: connection } = made
        const calls = [
          () => admin.write('connections.test', { connection }),
          () => admin.read('connections.projects', { connection, query: 'x' }),
          () =>
            admin.write('connections.makeWebhook', { connection, scope: { id: '1', name: 'halden/shop' } }),
          () =>
            admin.write('connections.replaceCredentials', {
              ...{ connection, credentials: { ...credentials, token: `${token}-next` } },
            }),
        ]
        for (const status of [400, 401, 403, 404, 409, 422, 429, 500])
          for (const call of calls) {
            const text = `${status}: Authorization: Bearer ${token} Basic ${sent} ${token}-next`
            double.fail({
              status,
              json: { message: text, errors: [{ message: text }], errorMessages: [text] },
            })
            await asked(call())
            double.mend()
          }
        for (const fault of ['half', 'none'] as const) {
          double.fail(fault)
          await asked(calls[0]!())
        }
        const forged = fetch(made.hookUrl, {
          method: 'POST',
          body: '{}',
          headers: { 'x-gitlab-token': token },
        })
        assert.equal(await asked(forged), 401)
        await asked(admin.read('connections.read', { connection }))
        await asked(admin.read('connections.deliveries', { connection }))
      }
      await asked(admin.read('connections.list'))
      const everything = [...said, JSON.stringify(await audit()), ...app.log].join('\n')
      assert.match(everything, /didn’t accept the request/)
      for (const secret of hidden) assert.ok(!everything.includes(secret), secret.slice(0, 20))
    } finally {
      await Promise.all([gitlab.stop(), jira.stop(), linear.stop()])
    }
  })

  test('a private address is refused unless the operator allows it, and plain http with it', async () => {
    const strict = await testApp()
    try {
      const workspace = await aWorkspace(strict.storage.db)
      const member = await aMember(workspace, 'admin')
      const admin = await signedIn(strict, { ...member, slug: workspace.slug })
      const connect = (baseUrl: string) =>
        admin.write('connections.connect', {
          ...{ kind: 'gitlab', name: 'Inside', baseUrl, credentials: { token: 'glpat-1' } },
        })
      const before = github.asked.length
      const refused = await refusal(await connect(github.url.replace('http:', 'https:')))
      assert.match(
        refused.message,
        /is not on the public internet. Ask the server operator to allow .* for connections/,
      )
      assert.match((await refusal(await connect(github.url))).message, /would not be encrypted/)
      assert.equal(github.asked.length, before)
    } finally {
      await strict.stop()
    }
  })

  describe('webhooks', () => {
    const issue = JSON.stringify({ action: 'opened', issue: { number: 1 } })
    const deliver = (
      url: string,
      secret: string,
      { id = randomUUID(), body = issue, event = 'issues', headers = {} } = {},
    ) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-github-event': event,
          'x-github-delivery': id,
          'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
          ...headers,
        },
        body,
      })
    const log = async (admin: Awaited<ReturnType<typeof aWorld>>['admin'], id: string) =>
      (
        await json<{ data: HookDeliveryRow[] }>(
          await admin.read('connections.deliveries', { connection: id }),
        )
      ).data

    test('a delivery with a right proof is kept once, and what was understood is in the log', async () => {
      const { admin, connected } = await aWorld()
      const made = await connected()
      const id = randomUUID()
      const both = await Promise.all([
        deliver(made.hookUrl, made.webhookSecret, { id }),
        deliver(made.hookUrl, made.webhookSecret, { id }),
      ])
      const answers = await Promise.all(both.map((one) => json<{ repeated: boolean }>(one)))
      assert.deepEqual(answers.map(({ repeated }) => repeated).toSorted(), [false, true])
      await until('it is understood', async () => (await log(admin, made.id))[0]?.understoodAt !== null)
      const rows = await log(admin, made.id)
      assert.deepEqual(
        rows.map(({ senderId, event, understood }) => [senderId, event, understood]),
        [[id, 'issues', 'Nothing to do.']],
      )
    })

    test('a delivery that GitHub sends as a form is understood like one in JSON', async () => {
      const { admin, connected } = await aWorld()
      const made = await connected()
      const body = new URLSearchParams({ payload: issue }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      assert.equal((await deliver(made.hookUrl, made.webhookSecret, { body, headers })).status, 200)
      await until('it is understood', async () => (await log(admin, made.id))[0]?.understoodAt !== null)
      assert.equal((await log(admin, made.id))[0]?.understood, 'Nothing to do.')
    })

    test('a forged, unsigned or altered delivery is a 401 and leaves nothing', async () => {
      const { admin, connected } = await aWorld()
      const made = await connected()
      const wrong = [
        deliver(made.hookUrl, 'another secret'),
        deliver(made.hookUrl, made.webhookSecret, { headers: { 'x-hub-signature-256': '' } }),
        deliver(made.hookUrl, made.webhookSecret, { headers: { 'x-hub-signature-256': 'sha256=00' } }),
        fetch(made.hookUrl, { method: 'POST', body: issue }),
      ]
      for (const one of wrong) assert.equal((await refusal(await one)).code, 'invalid_proof')
      assert.deepEqual(await log(admin, made.id), [])
    })

    test('an unknown address is a 404, a delivery that is too large a 413, and no token is in the log', async () => {
      const { connected } = await aWorld()
      const made = await connected()
      const unknown = made.hookUrl.slice(0, -3)
      assert.equal(
        (await refusal(await deliver(`${unknown}abc`, made.webhookSecret))).code,
        'unknown_address',
      )
      const large = await deliver(made.hookUrl, made.webhookSecret, { body: 'x'.repeat(2_200_000) })
      assert.equal(large.status, 413)
      assert.ok(!app.log.join('\n').includes(made.hookUrl.split('/hooks/')[1]!))
    })

    test('a replaced webhook secret leaves a day for the former one', async () => {
      const { admin, connected } = await aWorld()
      const made = await connected()
      const { webhookSecret } = await json<{ webhookSecret: string }>(
        await admin.write('connections.replaceSecret', { connection: made.id }),
      )
      for (const secret of [made.webhookSecret, webhookSecret])
        assert.equal((await deliver(made.hookUrl, secret)).status, 200)
    })

    test('the webhook is made over there once, with our address and secret', async () => {
      const { admin, connected } = await aWorld()
      const made = await connected()
      const repository = github.addRepository('halden/hooked')
      for (const _ of [1, 2])
        await json(
          await admin.write('connections.makeWebhook', {
            connection: made.id,
            scope: { id: `${repository.id}`, name: 'halden/hooked' },
          }),
        )
      const hooks = github.hooks.get('halden/hooked')!
      assert.deepEqual(
        hooks.map(({ config }) => [config.url, config.secret]),
        [[made.hookUrl, made.webhookSecret]],
      )
    })
  })

  test('a team is bound to a project and a repository from lists, and its connection can’t be disconnected then', async () => {
    const { admin, team, connected } = await aWorld()
    const { id } = await connected()
    const repository = github.addRepository('halden/bound')
    const { data } = await json<{ data: { id: string; name: string }[] }>(
      await admin.read('connections.repositories', { connection: id, query: 'bound' }),
    )
    assert.deepEqual(
      data.map(({ name }) => name),
      ['halden/bound'],
    )
    const project = { id: `${repository.id}`, key: 'halden/bound' }
    const bind = (slug: string) =>
      admin.write('teams.bindTracker', { team: slug, tracker: { connection: id, project } })
    await json(await bind(team.slug))
    await json(
      await admin.write('teams.bindRepositories', {
        ...{
          team: team.slug,
          repositories: [{ connection: id, id: `${repository.id}`, name: 'halden/bound' }],
        },
      }),
    )
    const bound = await json<TeamBindings>(await admin.read('teams.bindings', { team: team.slug }))
    assert.equal(bound.tracker?.project.key, 'halden/bound')
    assert.deepEqual(
      bound.repositories.map(({ name, branch, kind, connection }) => [name, branch, kind, connection]),
      [['halden/bound', 'main', 'github', id]],
    )
    const refused = await refusal(await admin.write('connections.disconnect', { connection: id }))
    assert.deepEqual([refused.code, refused.message.includes(team.slug)], ['conflict', true])
    const strange = { id: '999999', key: 'halden/bound' }
    const other = await admin.write('teams.bindTracker', {
      ...{ team: team.slug, tracker: { connection: id, project: strange } },
    })
    assert.equal((await refusal(other)).code, 'invalid_request')

    await json(await admin.write('teams.bindTracker', { team: team.slug, tracker: null }))
    await json(await admin.write('teams.bindRepositories', { team: team.slug, repositories: [] }))
    await json(await admin.write('connections.disconnect', { connection: id }))
    const erased = await tables(app.storage.db)
      .selectFrom('connections')
      .select(['credentials', 'webhook_secret', 'hook_token'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(erased, { credentials: null, webhook_secret: null, hook_token: null })
  })

  test('an issue belongs to one team: a project is bound twice only with different labels', async () => {
    const { workspace, admin, as, team, connected } = await aWorld()
    const other = await aTeam(workspace)
    const { id } = await connected()
    const { id: number } = github.addRepository('halden/shared')
    const bind = (slug: string, label?: string) =>
      admin.write('teams.bindTracker', {
        team: slug,
        tracker: {
          connection: id,
          project: { id: `${number}`, key: 'halden/shared' },
          ...(label ? { label } : {}),
        },
      })
    await json(await bind(team.slug))
    assert.equal((await refusal(await bind(other.slug))).code, 'conflict')
    await json(await bind(other.slug, 'billing'))

    // A deleted team keeps no other from its project.
    await json(await bind(other.slug, 'billing'))
    const owner = await as('owner')
    await json(await owner.write('teams.delete', { team: team.slug }))
    await json(await bind(other.slug))
  })

  test('a new workspace has a checklist that ticks itself off and can be put away', async () => {
    const { admin, as, workspace, team, connected } = await aWorld()
    const read = async () =>
      json<{ done: Record<string, boolean>; team: string | null; putAway: boolean }>(
        await admin.read('workspaces.checklist'),
      )
    const { done, putAway } = await read()
    assert.deepEqual(
      [done.team, done.stories, done.repository, done.run, putAway],
      [true, false, false, false, false],
    )
    const { id } = await connected()
    const { id: number } = github.addRepository('halden/first')
    await json(
      await admin.write('teams.bindTracker', {
        ...{ team: team.slug },
        tracker: { connection: id, project: { id: `${number}`, key: 'halden/first' } },
      }),
    )
    assert.equal((await read()).done.stories, true)
    const member = await as('member')
    const refused = await refusal(await member.write('workspaces.putChecklistAway', { putAway: true }))
    assert.equal(refused.code, 'insufficient_role')
    await json(await admin.write('workspaces.putChecklistAway', { putAway: true }))
    assert.equal((await read()).putAway, true)
    assert.ok(workspace.slug)
  })
})

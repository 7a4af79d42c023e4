import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ConnectionRow, PendingApp } from '@signalbox/contract/app/connections.ts'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { writesPerHour, writesPerMinute } from '@signalbox/contract/limits.ts'
import { sql } from 'kysely'
import { asService } from '../../../domain/context.ts'
import type { ToolBusy } from '../../../domain/ports/connection.ts'
import { housekeeping } from '../../../domain/record/audit/change.ts'
import { lookAfterHooks, lookAtHooksOf } from '../../../domain/tools/connections/look-after-hooks.ts'
import { pacingWrites } from '../../../domain/tools/connections/pace.ts'
import { systemClock } from '../../../infra/clock.ts'
import { callerFor } from '../../../integrations/connections/call.ts'
import { connectorsWith } from '../../../integrations/connections/connectors.ts'
import { githubApps } from '../../../integrations/connections/github-apps.ts'
import { json, refusal } from '../../../test/answers.ts'
import { testApp } from '../../../test/app.ts'
import { TestClock } from '../../../test/clock.ts'
import { GithubDouble } from '../../../test/doubles/github.ts'
import { GithubIssues } from '../../../test/doubles/github-issues.ts'
import { GitlabDouble } from '../../../test/doubles/gitlab.ts'
import { JiraDouble } from '../../../test/doubles/jira.ts'
import { LinearDouble } from '../../../test/doubles/linear.ts'
import { aTeam, aWorkspace } from '../../../test/factories.ts'
import { browsersOf } from '../../../test/signed-in.ts'
import { tables } from '../../../test/tables.ts'
import { until } from '../../../test/until.ts'

describe('what is set up at a tool from the app, and looked after', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  let github: GithubDouble
  before(async () => {
    app = await testApp({ env: { CONNECTION_ALLOW: '127.0.0.1' } })
    github = await new GithubDouble().start()
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
    const audit = async () =>
      (
        await json<{ data: AuditEntry[] }>(await admin.read('audit.list', { event: 'connection_changed' }))
      ).data.map(({ details }) => details.change)
    const form = (who: typeof admin, id: string) =>
      fetch(`${app.url}/api/w/${workspace.slug}/github-apps/${id}`, { headers: { cookie: who.cookie } })
    const row = async (connection: string) =>
      json<ConnectionRow>(await admin.read('connections.read', { connection }))
    return { workspace, team, as, admin, audit, form, row }
  }

  /** What a browser does with the page: it posts the form and follows GitHub back. */
  async function posted(page: Response): Promise<URL> {
    const html = await page.text()
    const unescaped = (text: string) =>
      text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    const action = unescaped(/action="([^"]+)"/.exec(html)![1]!)
    const manifest = unescaped(/name="manifest" value="([^"]+)"/.exec(html)![1]!)
    const answer = await fetch(action, {
      ...{ method: 'POST', redirect: 'manual' },
      body: new URLSearchParams({ manifest }),
    })
    assert.equal(answer.status, 302, await answer.text())
    return new URL(answer.headers.get('location')!)
  }

  test('a GitHub App is created and installed from here: its key is sealed, its state is used once, and all is audited', async () => {
    const { workspace, admin, as, audit, form, row } = await aWorld()
    const { id } = await json<{ id: string }>(
      await admin.write('connections.startApp', {
        ...{ name: 'Signalbox <halden>', baseUrl: github.url, organization: 'halden' },
      }),
    )
    const page = await form(admin, id)
    assert.equal(page.status, 200)
    const policy = page.headers.get('content-security-policy')!
    assert.ok(policy.includes(`form-action ${github.url};`), policy)
    assert.match(policy, /default-src 'none'/)
    const other = await as('admin')
    assert.equal((await form(other, id)).status, 404)

    const back = await posted(page)
    assert.equal(back.pathname, `/${workspace.slug}/settings/connections/github-app`)
    assert.equal(back.origin, app.url)
    const [code, state] = [back.searchParams.get('code')!, back.searchParams.get('state')!]
    // Someone else's browser, and a state that we did not sign, get nothing.
    assert.equal(
      (await refusal(await other.write('connections.convertApp', { code, state }))).code,
      'conflict',
    )
    const forged = `${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`
    const refused = await refusal(await admin.write('connections.convertApp', { code, state: forged }))
    assert.equal(refused.code, 'conflict')
    await json(await admin.write('connections.convertApp', { code, state }))
    assert.equal(
      (await refusal(await admin.write('connections.convertApp', { code, state }))).code,
      'conflict',
    )

    const { data } = await json<{ data: PendingApp[] }>(await admin.read('connections.apps'))
    assert.deepEqual(
      data.map(({ id: one, slug }) => [one, slug]),
      [[id, 'signalbox-halden-']],
    )
    const early = await refusal(await admin.write('connections.finishApp', { app: id }))
    assert.deepEqual([early.code, /isn’t installed yet/.test(early.message)], ['conflict', true])

    const { url } = await json<{ url: string }>(await admin.read('connections.installUrl', { app: id }))
    const installed = await fetch(url, { redirect: 'manual' })
    const setup = new URL(installed.headers.get('location')!).searchParams
    const made = await json<{ id: string; account: string; missing: string[] }>(
      await admin.write('connections.finishApp', {
        ...{ state: setup.get('state'), installation: Number(setup.get('installation_id')) },
      }),
    )
    assert.deepEqual(made, { id, account: 'signalbox-halden-[bot]', missing: [] })
    const shown = await row(id)
    assert.deepEqual(
      [shown.method, shown.name, shown.baseUrl],
      ['app', 'Signalbox <halden>', `${github.url}/api/v3`],
    )
    assert.deepEqual(await audit(), ['connected', 'app_created', 'app_requested'])
    assert.deepEqual((await json<{ data: unknown[] }>(await admin.read('connections.apps'))).data, [])

    // It works, and nothing of it can be read anywhere.
    await json(await admin.write('connections.test', { connection: id }))
    const { rows } = await sql<{ text: string }>`
      select c::text as text from connections c where id = ${id}
    `.execute(tables(app.storage.db))
    const everything = [rows[0]!.text, JSON.stringify(shown), app.log.join('\n')].join('\n')
    assert.doesNotMatch(everything, /PRIVATE KEY|never kept/)
    assert.ok(!app.log.join('\n').includes(code))
  })

  test('an app that was never installed can be removed, members can do none of it, and a code that GitHub does not know is refused', async () => {
    const { admin, as, audit, form } = await aWorld()
    const member = await as('member')
    const wish = { name: 'Signalbox', baseUrl: github.url }
    assert.equal((await member.write('connections.startApp', wish)).status, 403)
    assert.equal((await member.read('connections.apps')).status, 403)
    const started = async () =>
      (await json<{ id: string }>(await admin.write('connections.startApp', wish))).id
    const first = await started()
    const state = (await posted(await form(admin, first))).searchParams.get('state')!
    const strange = await refusal(await admin.write('connections.convertApp', { code: 'unknown', state }))
    assert.equal(strange.code, 'tool_refused')

    const second = await started()
    const back = (await posted(await form(admin, second))).searchParams
    await json(
      await admin.write('connections.convertApp', { code: back.get('code'), state: back.get('state') }),
    )
    await json(await admin.write('connections.dropApp', { app: second }))
    assert.equal((await admin.write('connections.finishApp', { app: second })).status, 404)
    assert.equal((await audit())[0], 'app_removed')
  })

  test('the webhook is left out of an app that GitHub could not reach, and in where it can', () => {
    const { form } = githubApps(async () => assert.fail('nothing is asked'))
    const manifestAt = (origin: string) =>
      JSON.parse(
        form({
          ...{ name: 'Signalbox', baseUrl: 'https://api.github.com', organization: null, state: 's' },
          ...{ returnTo: `${origin}/acme/settings/connections/github-app`, hookUrl: `${origin}/hooks/t` },
        }).manifest,
      )
    for (const origin of [
      'http://localhost:4400',
      'http://10.0.0.8',
      'https://box.internal',
      'https://10.1.2.3',
    ])
      assert.ok(!('hook_attributes' in manifestAt(origin)), origin)
    const reachable = manifestAt('https://signalbox.acme.com')
    assert.deepEqual(reachable.hook_attributes, {
      ...{ url: 'https://signalbox.acme.com/hooks/t', active: true },
    })
    assert.equal(reachable.public, false)
    assert.equal(
      form({
        ...{ name: 'n', baseUrl: 'https://github.acme.com/api/v3', organization: 'acme', state: 'x.y' },
        ...{ returnTo: 'https://a.acme.com/x', hookUrl: 'https://a.acme.com/hooks/t' },
      }).action,
      'https://github.acme.com/organizations/acme/settings/apps/new?state=x.y',
    )
  })

  test('a changed address is tested with the credentials that come with it: the old ones and the webhook secret never reach it', async () => {
    const { admin, row } = await aWorld()
    const moved = await new GithubDouble().start()
    try {
      github.addToken('ghp_here')
      moved.addToken('ghp_there')
      const made = await json<{ id: string; webhookSecret: string }>(
        await admin.write('connections.connect', {
          ...{ kind: 'github', name: 'GitHub', baseUrl: github.url, credentials: { token: 'ghp_here' } },
        }),
      )
      const replace = (input: object) =>
        admin.write('connections.replaceCredentials', { connection: made.id, baseUrl: moved.url, ...input })
      // Without credentials there is no change of address at all.
      assert.equal((await replace({})).status, 400)
      assert.equal(
        (await refusal(await replace({ credentials: { token: 'ghp_wrong' } }))).code,
        'tool_refused',
      )
      assert.equal((await row(made.id)).baseUrl, `${github.url}/api/v3`)
      await json(await replace({ credentials: { token: 'ghp_there' } }))
      assert.equal((await row(made.id)).baseUrl, `${moved.url}/api/v3`)
      await json(await admin.write('connections.test', { connection: made.id }))
      const repository = moved.addRepository('halden/moved')
      await json(
        await admin.write('connections.makeWebhook', {
          connection: made.id,
          scope: { id: `${repository.id}`, name: 'halden/moved' },
        }),
      )
      const sent = moved.asked.map(({ headers, raw }) => `${headers.authorization} ${raw}`).join('\n')
      assert.doesNotMatch(sent, /ghp_here/)
      assert.ok(!sent.includes(made.webhookSecret))
    } finally {
      await moved.stop()
    }
  })

  /** Looks as the schedule does, which is kept away: it would look in between. */
  async function look({ workspace }: Awaited<ReturnType<typeof aWorld>>, id: string) {
    const clock = new TestClock(new Date().toISOString())
    const { db, secrets } = app.storage
    const connectors = connectorsWith(callerFor({ allow: ['127.0.0.1'], clock }))
    const ctx = asService({ ...workspace, db, clock }, workspace.workspaceId)
    const since = new Date(Date.now() - 3_600_000)
    await lookAtHooksOf(ctx, { connectors, secrets, publicUrl: () => app.url }, { id, since })
  }

  async function bound(
    world: Awaited<ReturnType<typeof aWorld>>,
    kind: string,
    baseUrl: string,
    credentials: object,
    project: { id: string; key: string },
  ) {
    const { admin, team } = world
    const { id: connection } = await json<{ id: string }>(
      await admin.write('connections.connect', { kind, name: kind, baseUrl, credentials }),
    )
    await housekeeping(app.storage.db, 'looked at, as far as the schedule knows', (tx) =>
      sql`update connections set hooks_looked_at = now() + interval '1 day' where id = ${connection}`.execute(
        tables(tx),
      ),
    )
    const { id, key } = project
    const tracker = { connection, project: { id, key } }
    await json(await admin.write('teams.bindTracker', { team: team.slug, tracker }))
    await json(await admin.write('connections.makeWebhook', { connection, scope: { id, name: key } }))
    return connection
  }

  test('what GitHub could not deliver is sent again within the hour, understood once, and a hook that is off is turned on', async () => {
    const world = await aWorld()
    github.addToken('ghp_hooks')
    const repository = github.addRepository('halden/hooked')
    // Without issues the app, which begins to read them, would be refused, and say so in between.
    new GithubIssues(github, 'halden/hooked', systemClock)
    const project = { id: `${repository.id}`, key: repository.full_name }
    const id = await bound(world, 'github', github.url, { token: 'ghp_hooks' }, project)
    const [hook] = github.hooks.get('halden/hooked')!
    await look(world, id)
    assert.deepEqual((await world.row(id)).hooks?.state, 'working')

    const real = hook!.config.url!
    hook!.config.url = `${app.url}/hooks/away`
    assert.equal(await github.deliver(hook!.id, 'ping', { zen: 'a' }), 404)
    hook!.config.url = real
    await github.deliver(hook!.id, 'ping', { zen: 'b' })
    hook!.active = false
    await look(world, id)
    const { hooks } = await world.row(id)
    assert.deepEqual(
      [hooks?.state, hooks?.note],
      ['failing', '1 webhook was turned off and is on again. 1 delivery failed, all sent again.'],
    )
    assert.equal(hook!.active, true)
    const events = await json<{ data: unknown[] }>(
      await world.admin.read('connections.deliveries', { connection: id }),
    )
    assert.equal(events.data.length, 2)
    assert.equal((await world.audit())[0], 'webhook_mended')
    // Sent again once: it has arrived.
    await look(world, id)
    assert.equal((await world.row(id)).hooks?.state, 'working')
    assert.equal(github.deliveries.get(hook!.id)!.length, 3)
  })

  test('each connection is looked at once an hour, by one node of all', async () => {
    const world = await aWorld()
    github.addToken('ghp_once')
    const repository = github.addRepository('halden/once')
    new GithubIssues(github, 'halden/once', systemClock)
    const id = await bound(
      world,
      'github',
      github.url,
      { token: 'ghp_once' },
      {
        ...{ id: `${repository.id}`, key: repository.full_name },
      },
    )
    const tomorrow = new TestClock(new Date(Date.now() + 3 * 86_400_000).toISOString())
    const looked: string[] = []
    const connectors = {
      github: {
        ...{ kind: 'github' as const, proof: () => null, check: async () => assert.fail('not asked') },
        lookAfterHooks: async (connection: { id: string }) => {
          looked.push(connection.id)
          return { state: 'working' as const, note: 'All webhooks are on.', mended: false }
        },
      },
    }
    const { db, secrets } = app.storage
    const base = { ...world.workspace, db, clock: tomorrow }
    const node = () =>
      lookAfterHooks(base, { connectors, secrets, publicUrl: () => app.url }, (error) => assert.fail(error))
    await Promise.all([node(), node(), node()])
    await node()
    assert.deepEqual(
      looked.filter((one) => one === id),
      [id],
    )
    tomorrow.forward(3_600_001)
    // Its row may be held for a moment by what the app notes of a call; then it has its turn in the next pass.
    await until('it is looked at again', async () => {
      await node()
      return looked.filter((one) => one === id).length === 2
    })
  })

  test('GitLab’s, Linear’s and Jira’s hooks that were turned off are on again, what failed is sent again, what ends is renewed', async () => {
    const [gitlab, linear, jira] = await Promise.all([
      new GitlabDouble().start(),
      new LinearDouble().start(),
      new JiraDouble().start(),
    ])
    try {
      gitlab.addToken('glpat-1')
      linear.addKey('lin_api_1')
      jira.addAccount({ email: 'bot@example.com', token: 'jira-1' })
      const there = gitlab.addProject('halden/shop')
      const team = linear.addTeam('WEB', 'Web')
      const project = jira.addProject('SHOP', 'Shop')
      const worlds = await Promise.all([aWorld(), aWorld(), aWorld()])
      const [first, second, third] = [
        await bound(
          worlds[0],
          'gitlab',
          gitlab.url,
          { token: 'glpat-1' },
          {
            ...{ id: `${there.id}`, key: 'halden/shop' },
          },
        ),
        await bound(worlds[1], 'linear', linear.url, { token: 'lin_api_1' }, team),
        await bound(worlds[2], 'jira', jira.url, { email: 'bot@example.com', token: 'jira-1' }, project),
      ]
      const hook = gitlab.hooks.get(there.id)![0]!
      hook.alert_status = 'disabled'
      gitlab.hookEvents.set(Number(hook.id), [
        { id: 1, created_at: new Date().toISOString(), response_status: '503' },
      ])
      linear.webhooks[0]!.enabled = false
      jira.hooks[0]!.enabled = false
      const soon = Date.now() + 86_400_000
      jira.dynamicHooks.push({ id: 9, url: `${jira.hooks[0]!.url}`, expirationDate: soon })
      const said = await Promise.all(
        [first, second, third].map(async (id, index) => {
          await look(worlds[index]!, id)
          return (await worlds[index]!.row(id)).hooks?.note
        }),
      )
      assert.deepEqual(said, [
        '1 webhook was turned off and is on again. 1 delivery failed, all sent again.',
        '1 webhook was turned off and is on again.',
        '1 webhook was turned off and is on again. 1 webhook was about to expire and was renewed.',
      ])
      assert.equal(hook.alert_status, 'executable')
      assert.equal(linear.webhooks[0]!.enabled, true)
      assert.equal(jira.hooks[0]!.enabled, true)
      assert.ok(jira.dynamicHooks[0]!.expirationDate > Date.now() + 20 * 86_400_000)
      // A token that may not look is said, and is no trouble.
      linear.addKey('lin_api_1', { admin: false })
      await look(worlds[1], second)
      assert.equal((await worlds[1].row(second)).hooks?.state, 'unknown')
    } finally {
      await Promise.all([gitlab.stop(), linear.stop(), jira.stop()])
    }
  })

  test('GitHub is written to no faster than it wants, over all nodes and one at a time, and people see how much is left', async () => {
    const { admin, workspace, row } = await aWorld()
    github.addToken('ghp_pace')
    const { id } = await json<{ id: string }>(
      await admin.write('connections.connect', {
        ...{ kind: 'github', name: 'GitHub', baseUrl: github.url, credentials: { token: 'ghp_pace' } },
      }),
    )
    const clock = new TestClock(new Date().toISOString())
    const { db } = app.storage
    const [one, two] = [pacingWrites({ db, clock }), pacingWrites({ db, clock })]
    const connection = {
      ...{ id, workspaceId: workspace.workspaceId, kind: 'github' as const, name: 'GitHub' },
      ...{ baseUrl: github.url, credentials: {}, account: null },
    }
    const end = await one(connection)
    const busy = await two(connection).catch((error: ToolBusy) => error)
    assert.match(`${busy}`, /Another write to GitHub is in progress/)
    await end()
    let written = 1
    const write = async () => {
      await (await (written % 2 ? two : one)(connection))()
      written += 1
    }
    while (written < writesPerMinute) await write()
    const full = await write().then(
      () => assert.fail('there was no room'),
      (error: ToolBusy) => error,
    )
    assert.match(full.message, /at most 80 writes a minute/)
    assert.ok(full.retryAfterMs! > 50_000 && full.retryAfterMs! <= 60_000)
    assert.deepEqual((await row(id)).writes, {
      ...{ lastMinute: 80, perMinute: writesPerMinute, lastHour: 80, perHour: writesPerHour },
    })
    const before = new Date(clock.now().getTime() - 600_000)
    await housekeeping(db, 'writes of the last ten minutes', (tx) =>
      sql`
        update connection_writes set recent = array_fill(${before}::timestamptz, array[420]) || recent
        where connection_id = ${id}
      `.execute(tables(tx)),
    )
    clock.forward(60_001)
    const spent = await write().then(
      () => assert.fail('there was no room'),
      (error: ToolBusy) => error,
    )
    assert.match(spent.message, /at most 500 writes an hour/)
    clock.forward(spent.retryAfterMs! + 1)
    await write()
  })
})

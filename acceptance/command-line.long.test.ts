import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { before, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { environment, repository, scriptOf } from './command.ts'
import { type Demo, hurried, startDemo, temporaryFolder, until } from './demo.ts'

/** What people type, as a process of its own, against a server that serves: the README's five minutes without a browser. */

interface Decision {
  key: string
  kind: string
  status: string
  runKey: string | null
  resolvedVia: string | null
  resolution: { optionId: string; note: string | null } | null
  options: { id: string; label: string; recommended: boolean }[]
}

let demo: Demo
let home: string
before(async () => {
  demo = await startDemo({ env: { ...hurried, DEMO_MOVES: '0' } })
  home = await temporaryFolder()
})

const env = (more: Record<string, string> = {}) =>
  environment({
    XDG_CONFIG_HOME: home,
    HOME: home,
    NO_COLOR: '',
    SIGNALBOX_URL: '',
    SERVICE_API_KEY: '',
    ...more,
  })

/** What the archive without a server starts; server/main.ts lists the same commands. */
const program = [path.join(repository, 'cli', 'main.ts')]

function start(args: string[], { input = '', more = {}, command = program }: Started = {}) {
  const child = spawn(process.execPath, [...command, ...args], { cwd: repository, env: env(more) })
  child.stdin.end(input)
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      said[name] += chunk
    })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { said, ended, child }
}

interface Started {
  input?: string
  more?: Record<string, string>
  command?: string[]
}

async function signalbox(args: string[], options: Started = {}) {
  const { said, ended } = start(args, options)
  const code = await ended
  return { code, ...said }
}

/** What a command that must succeed prints as JSON. */
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await signalbox([...args, '--json'])
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

test('the five minutes of the README are played without a browser', async () => {
  const { url, workspace } = demo.started
  const unknown = await signalbox(['inbox'])
  assert.deepEqual([unknown.code, unknown.stdout], [3, ''])
  assert.match(unknown.stderr, /^You are not signed in\. .*signalbox login --url URL\n$/)

  const wrong = await signalbox(['login', '--url', url, '--with-token'], { input: `tk_${'x'.repeat(32)}\n` })
  assert.deepEqual([wrong.code, wrong.stdout], [3, ''])
  const login = await signalbox(['login', '--url', `${url}/`, '--with-token'], {
    input: `${demo.tokens.owner}\n`,
  })
  assert.equal(login.code, 0, login.stderr)
  assert.match(login.stdout, new RegExp(`^Signed in to ${url} as .+ \\(owner\\), workspace .+\\n$`))
  const { mode } = await stat(path.join(home, 'signalbox', 'accounts.json'))
  assert.equal(mode & 0o077, 0, 'others cannot read the token')

  const inbox = await json<Decision[]>('inbox')
  const plan = inbox.find(({ kind, runKey }) => kind === 'plan_approval' && runKey !== null)!
  // As an operator types it.
  const listed = await signalbox(['inbox'], { command: scriptOf('signalbox') })
  assert.match(listed.stdout, /^DECISION +KIND +TEAM +STORY +RAISED +EXPIRES +TITLE\n/)
  assert.match(listed.stdout, new RegExp(`^${plan.key} +plan_approval `, 'm'))
  assert.ok(!listed.stdout.includes('\u{1b}'))

  const shown = await signalbox(['show', plan.key])
  for (const [index, { label }] of plan.options.entries())
    assert.ok(shown.stdout.includes(`  ${index + 1}  ${label}`), shown.stdout)
  const watching = start(['watch', plan.runKey!, '--every', '1', '--json'])
  await until('the run is watched', () => watching.said.stdout.includes('\n'))
  const silent = await signalbox(['answer', plan.key, 'changes'])
  assert.equal(silent.code, 2)
  assert.match(silent.stderr, /needs a note that says what to change\. Add it with --note\./)
  const answered = await signalbox(['answer', plan.key, '1', '--note', 'As planned.'])
  assert.equal(answered.code, 0, answered.stderr)
  assert.match(answered.stdout, new RegExp(`^${plan.key} answered: ${plan.options[0]!.label}\n`))
  const now = await json<Decision>('show', plan.key)
  assert.deepEqual(
    [now.status, now.resolvedVia, now.resolution],
    ['resolved', 'api', { optionId: plan.options[0]!.id, note: 'As planned.' }],
  )
  const second = await signalbox(['answer', plan.key, plan.options[0]!.id])
  assert.deepEqual([second.code, second.stdout], [5, ''])

  // Its run goes on until it ends or asks the next question, which is answered too.
  await until('the run is over', async () => {
    const asked = `/v1/decisions?status=pending&run=${plan.runKey}`
    for (const { key } of await demo.all<Decision>(asked))
      await signalbox(['answer', key, '1', '--note', 'Go on.'])
    const { status } = await demo.get<{ status: string }>(`/v1/runs/${plan.runKey}`)
    return /^(succeeded|failed|stopped|timed_out)$/.test(status)
  })
  const watchedCode = await watching.ended
  const watched = watching.said
  const moves = watched.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const run = await json<{ status: string }>('show', plan.runKey!)
  assert.equal(moves.at(-1).status, run.status)
  assert.ok(moves.length > 1, watched.stdout)
  assert.equal(watchedCode, run.status === 'succeeded' ? 0 : 1)

  const opened = await signalbox(['open', '--print', plan.key])
  assert.equal(opened.stdout, `${url}/${workspace}/decisions/${plan.key}\n`)
})

test('lists, single things and refusals have their shape and their exit code', async () => {
  const account = { SIGNALBOX_URL: demo.started.url, SERVICE_API_KEY: demo.tokens.readOnly }
  const one = (...args: string[]) => signalbox(args, { more: account })
  const runs = await one('runs', '--limit', '3', '--json')
  const [run] = JSON.parse(runs.stdout)
  assert.equal(JSON.parse(runs.stdout).length, 3)
  const [stories, story, coloured] = await Promise.all([
    one('stories', '--limit', '2'),
    one('show', run.story.key),
    signalbox(['runs', '--limit', '1'], { more: { ...account, FORCE_COLOR: '1' } }),
  ])
  assert.match(stories.stdout, /^STORY +COLUMN +TEAM +READY +UPDATED +TITLE\n[A-Z]+-\d+ /)
  assert.match(story.stdout, new RegExp(`^${run.story.key}  `))
  assert.ok(coloured.stdout.includes('\u{1b}['))
  const results = await Promise.all([
    one('show', 'dec-0000'),
    one('show', 'nonsense'),
    one('answer', 'dec-0000', '1'),
    one('runs', '--limit', '0'),
    one('logs', run.key),
    signalbox(['runs'], { more: { ...account, SIGNALBOX_URL: 'http://127.0.0.1:1' } }),
    signalbox(['runs'], { more: { ...account, SERVICE_API_KEY: demo.tokens.expired } }),
  ])
  assert.deepEqual(
    results.map(({ code, stdout }) => [code, stdout]),
    [4, 2, 4, 2, 3, 7, 3].map((code) => [code, '']),
  )
  const [pending] = await demo.all<Decision>('/v1/decisions?status=pending')
  const forbidden = await one('answer', pending!.key, '1')
  assert.equal(forbidden.code, 6, forbidden.stderr)
  const option = await one('answer', pending!.key, '9')
  assert.equal(option.code, 2)
  assert.match(option.stderr, /has no option "9"\. It has: 1 /)
})

test('a sign-in that is confirmed in a browser opens logs and incidents too, and ends with logout', async () => {
  const { url, workspace, people } = demo.started
  const place = { XDG_CONFIG_HOME: await temporaryFolder() }
  const one = (...args: string[]) => signalbox(args, { more: place })
  const { said, ended, child } = start(['login', '--url', url], { more: place })
  const asks = /^Open (\S+) and enter the code (\w+)$/m
  await until('it asks for a confirmation', () => asks.test(said.stderr) || child.exitCode !== null)
  const [, page, code] = asks.exec(said.stderr) ?? assert.fail(said.stderr)
  assert.equal(page, `${url}/device`)
  await confirm(code!, people.owner)
  assert.equal(await ended, 0, said.stderr)
  assert.match(said.stdout, /^Signed in to .+ \(owner\), workspace /)

  const runs = await demo.all<{ key: string; status: string }>('/v1/runs')
  const over = runs.find(({ status }) => status === 'succeeded')!
  const [whole, followed] = await Promise.all([one('logs', over.key), one('logs', '-f', over.key, '--json')])
  assert.equal(whole.code, 0, whole.stderr)
  const lines = followed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).text)
  assert.ok(lines.length > 1)
  assert.equal(whole.stdout, `${lines.join('\n')}\n`)

  type Incident = { key: string; acknowledged: { by: string } | null }
  const open = JSON.parse((await one('incidents', '--json')).stdout) as Incident[]
  const incident = open.find(({ acknowledged }) => acknowledged === null) ?? open[0]!
  const acknowledged = await one('incidents', 'ack', incident.key)
  assert.equal(acknowledged.code, 0, acknowledged.stderr)
  assert.match((await one('show', incident.key)).stdout, /Acknowledged +by /)
  assert.match((await one('inbox')).stdout, /^DECISION /)
  assert.equal((await one('open', '--print')).stdout, `${url}/${workspace}/inbox\n`)

  const stored = JSON.parse(
    await readFile(path.join(place.XDG_CONFIG_HOME, 'signalbox', 'accounts.json'), 'utf8'),
  )
  const { token, session } = stored.accounts[url]
  assert.equal((await one('logout')).code, 0)
  assert.equal((await demo.ask('/v1/teams', { token })).status, 401)
  const me = await fetch(`${url}/api/me`, { headers: { cookie: session } })
  assert.equal(me.status, 401)
  assert.equal((await one('inbox')).code, 3)
})

/** What a person does in the browser: signs in, and confirms the code. */
async function confirm(code: string, person: { email: string; password: string }): Promise<void> {
  const { url } = demo.started
  const post = (place: string, body: object, cookie = '') =>
    fetch(`${url}/api/auth/${place}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, cookie },
      body: JSON.stringify(body),
    })
  const signedIn = await post('sign-in/email', { email: person.email, password: person.password })
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';', 1)[0]!
  await fetch(`${url}/api/auth/device?user_code=${code}`, { headers: { cookie } })
  const approved = await post('device/approve', { userCode: code }, cookie)
  assert.equal(approved.status, 200, await approved.text())
}

test('a coding agent that knows only standard input and output talks to the MCP server', async () => {
  const [command, ...args] = [process.execPath, ...program, 'mcp', '--read-only']
  const account = { SIGNALBOX_URL: demo.started.url, SERVICE_API_KEY: demo.tokens.owner }
  const variables = Object.entries(env(account)).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  const client = new Client({ name: 'an agent', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: command!,
      args,
      cwd: repository,
      env: Object.fromEntries(variables),
    }),
  )
  try {
    const { tools } = await client.listTools()
    assert.ok(tools.some(({ name }) => name === 'get_context'))
    assert.ok(!tools.some(({ name }) => name === 'resolve_decision'))
    // Several at a time, each answered by its own id.
    const asked = ['get_context', 'list_decisions', 'list_runs'].map((name) =>
      client.callTool({ name, arguments: {} }),
    )
    const [context] = await Promise.all(asked)
    assert.equal(
      (context!.structuredContent as { workspace: { slug: string } }).workspace.slug,
      demo.started.workspace,
    )
  } finally {
    await client.close()
  }
})

test('what a script pipes into it is answered before it ends, and a question to a person does not hold it', async () => {
  const account = { SIGNALBOX_URL: demo.started.url, SERVICE_API_KEY: demo.tokens.owner }
  const [pending] = await demo.all<Decision>('/v1/decisions?status=pending')
  const calls = [
    { id: 1, method: 'tools/list' },
    {
      ...{ id: 2, method: 'tools/call' },
      params: { name: 'get_decision', arguments: { decision: pending!.key, waitSeconds: 60 } },
    },
  ]
  const input = calls.map((call) => `${JSON.stringify({ jsonrpc: '2.0', ...call })}\n`).join('')
  const begun = performance.now()
  const { code, stdout, stderr } = await signalbox(['mcp'], { input, more: account })
  assert.equal(code, 0, stderr)
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.ok(answers.find(({ id }) => id === 1).result.tools.length > 0)
  assert.ok(performance.now() - begun < 40_000, 'it ended without the answer of a person')
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { AuditEntry } from '../../contract/audit.ts'
import type { Run } from '../../contract/run.ts'
import type { StoryListed } from '../../contract/story.ts'
import type { Team } from '../../contract/team.ts'
import { screen, signedInTab, type Tab } from '../app/browser.ts'
import { calm, type Demo, startDemo, temporaryFolder, until } from '../demo.ts'
import { clients, install, type Machine, type McpClient, programsOf } from './clients.ts'
import { type Step, startModel } from './model.ts'

/**
 * The second half of `npm run test:agents`: real coding agents as clients of our MCP server. Each is connected with the
 * snippet of the Connect page, reads a story, asks a question, gets the answer that a person gives in a browser, and
 * goes on with it. What they would think is scripted; everything else is theirs and ours. Rewrites its section of
 * docs/agents.md.
 */
const word = 'mcp-conversation'
const options = [
  { id: 'keep', label: 'Keep it: opening it again is instant' },
  { id: 'unload', label: 'Unload it: old phones are short of memory' },
]

interface Row {
  agent: string
  version: string
  connected: string
  asked: string
  seconds: string
}
const rows: Row[] = []

const questionOf = (client: string) =>
  `Should the map stay loaded when it is closed again? Asked by ${client}.`

const steps = (client: string, story: string): Step[] => [
  () => ({ tool: 'get_story', input: { story } }),
  () => ({
    tool: 'request_human_input',
    input: {
      story,
      question: questionOf(client),
      context: 'The story says when the library is loaded, not what becomes of it afterwards.',
      options,
      recommendation: 'keep',
      waitSeconds: 50,
    },
  }),
  // Only here does it know the answer.
  () => ({ tool: 'begin_work', input: { story, agent: client } }),
  (told) => ({
    tool: 'report_progress',
    input: { run: runIn(told), message: `${client} goes on with ${answerIn(told)}.` },
  }),
  (told) => ({ tool: 'give_back', input: { run: runIn(told), reason: 'Tried.' } }),
  (told) => ({ say: `The answer was ${answerIn(told)}.` }),
]

// Formats put results into strings of strings.
const answerIn = (told: string) => /optionId\\*":\s*\\*"(keep|unload)/.exec(told)?.[1] ?? 'nothing'
const runIn = (told: string) =>
  /{\\*"run\\*":\s*\\*"(run-[0-9a-z]+)\\*",\s*\\*"story/.exec(told)?.[1] ?? 'none'

describe('coding agents as MCP clients', () => {
  let demo: Demo
  let tab: Tab
  let story: StoryListed

  before(async () => {
    demo = await startDemo({ env: calm })
    tab = await signedInTab(demo)
    story = await aWaitingStory()
  })
  after(() => writeSection(rows))

  async function aWaitingStory(): Promise<StoryListed> {
    const { data: teams } = await demo.get<{ data: Team[] }>('/v1/teams')
    for (const { slug, paused, policy } of teams) {
      if (paused || !policy) continue
      const stories = await demo.all<StoryListed>(`/v1/teams/${slug}/stories`)
      const found = stories.find((one) => one.column.role === 'ready' && one.readinessScore === 100)
      if (found) return found
    }
    return assert.fail('no story waits for a slot')
  }

  /** What the Connect page says, with a token of its own in it. */
  async function snippetFor(name: string): Promise<string> {
    await tab.goto(screen(demo, 'settings/api'))
    await tab.getByRole('link', { name: 'Connect a coding agent' }).click()
    await tab.getByLabel('Coding agent').selectOption(name)
    await tab.getByRole('button', { name: 'Create token' }).click()
    await tab.getByText('Waiting for the first call').waitFor()
    return (await tab.locator('code').filter({ hasText: 'signalbox' }).first().textContent())!
  }

  async function machineFor(client: McpClient, model: string): Promise<Machine & { run: Start }> {
    const folder = await temporaryFolder()
    const [home, project] = [path.join(folder, 'home'), path.join(folder, 'project')]
    for (const made of [home, project]) await mkdir(made)
    const env = {
      PATH: [programsOf(client), path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
      HOME: home,
      LANG: 'C.UTF-8',
      ...client.environment({ home, model }),
    }
    const run: Start = (program, args) =>
      new Promise((resolve) => {
        const started = { cwd: project, env, timeout: 240_000, maxBuffer: 64 << 20 }
        const child = execFile(program, args, started, (error, stdout, stderr) =>
          resolve({ isOk: !error, output: `${stdout}\n${stderr}` }),
        )
        child.stdin?.end()
      })
    const shell = async (line: string) => {
      const { isOk, output } = await run('sh', ['-c', line])
      assert.ok(isOk, output)
      return output
    }
    return { home, project, model, shell, run }
  }

  /** A person sees the question and answers it. */
  async function answerInBrowser(client: string, signal: AbortSignal): Promise<void> {
    let key: string | undefined
    await until('the question is raised', async () => {
      signal.throwIfAborted()
      key = (await entriesAbout(demo, client))[0]?.entity.id
      return key !== undefined
    })
    await tab.goto(screen(demo, `decisions/${key}`))
    await tab.getByRole('radio', { name: options[1]!.label }).check()
    await tab.locator(`[aria-describedby="says-${key}"]`).click()
    await tab
      .getByText(/answered/)
      .first()
      .waitFor()
  }

  for (const client of clients) {
    test(`${client.name} reads a story, asks, is answered in the browser, and goes on`, async () => {
      const { version } = await install(client)
      const row: Row = { agent: client.name, version, connected: 'no', asked: 'no', seconds: '' }
      rows.push(row)
      const model = await startModel(word, steps(client.name, story.key))
      try {
        const machine = await machineFor(client, model.url)
        await client.connect(machine, await snippetFor(client.name))
        const [program, ...args] = client.command(`Play ${word} with ${story.key}.`)
        const [began, beganAt] = [performance.now(), Date.now()]
        const working = machine.run(program!, args)
        const ended = new AbortController()
        const answered = answerInBrowser(client.name, ended.signal)
        answered.catch(() => {})
        const { output } = await working
        ended.abort()
        if (process.env.RECORD) await writeFile(`${process.env.RECORD}-${client.folder}.log`, output)
        if (!output.includes('The answer was unload.')) assert.fail(output.slice(-6_000))
        await answered
        row.seconds = ((performance.now() - began) / 1000).toFixed(0)
        row.connected = 'yes'
        assert.deepEqual(
          (await entriesAbout(demo, client.name)).map(({ event, details }) => [event, details.channel]),
          [
            ['decision_raised', 'mcp'],
            ['decision_resolved', 'app'],
          ],
        )
        const { data } = await demo.get<{ data: AuditEntry[] }>('/v1/audit?event=local_work_reported&limit=5')
        const [reported] = data.filter(({ timestamp }) => Date.parse(timestamp) > beganAt)
        assert.ok(reported && 'message' in reported.details, 'it has reported')
        assert.equal(reported.details.message, `${client.name} goes on with unload.`)
        // The team may have started on the story again; this run has ended.
        assert.equal((await demo.get<Run>(`/v1/runs/${reported.runKey}`)).status, 'stopped')
        row.asked = 'yes'
      } finally {
        await model.stop()
      }
    })
  }
})

type Start = (program: string, args: string[]) => Promise<{ isOk: boolean; output: string }>

/** What happened to the question, oldest first. */
async function entriesAbout(demo: Demo, client: string): Promise<AuditEntry[]> {
  const all = await Promise.all(
    ['decision_raised', 'decision_resolved'].map((event) =>
      demo.get<{ data: AuditEntry[] }>(`/v1/audit?event=${event}&limit=20`),
    ),
  )
  return all.flatMap(({ data }) => data.filter(({ entity }) => entity.name === questionOf(client)))
}

const heading = '## As MCP clients'

/** The rest of the file is written by the runner's half. */
async function writeSection(all: Row[]): Promise<void> {
  const file = path.resolve(import.meta.dirname, '..', '..', 'docs', 'agents.md')
  const [rest] = (await readFile(file, 'utf8')).split(`\n${heading}\n`)
  const cells = all.map(({ agent, version, connected, asked, seconds }) => [
    ...[agent, version, connected, asked, seconds],
  ])
  const table = [
    ['Agent', 'Version', 'Connected', 'Asked and went on', 'Takes (s)'],
    cells[0]!.map(() => '---'),
  ]
  const lines = [...table, ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
  await writeFile(
    file,
    `${rest!.trimEnd()}

${heading}

The other way round: each agent is connected to the [MCP server](manual/mcp.md) of the demo with the snippet of the Connect page, against the same kind of scripted model.

${lines}

- **Connected**: the snippet works as it is, and the agent's tools are there.
- **Asked and went on**: it reads a story with \`get_story\`, asks with \`request_human_input\`, gets the answer that a person chose in a browser while the call was held, begins the work, reports the answer with \`report_progress\` and gives the story back. The audit log has the question with the channel \`mcp\` and the answer with \`app\`.
- **Takes**: from its start to its end, the person at the browser included.
`,
  )
}

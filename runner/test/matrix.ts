import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findAgents } from '../agents/find.ts'
import { Site } from './drive.ts'
import { startModel } from './model/model.ts'
import { plainBox } from './plain-box.ts'
import { Player, sessionOf, usageOf } from './play.ts'
import { scripts } from './scenarios.ts'

/**
 * `npm run test:agents`: installs the coding agents that the project itself does not bring, puts each one through the
 * same scenarios against the scripted model, prints one table and writes it to docs/agents.md.
 */
const packages: Record<string, { packages: string[]; needsScripts: boolean }> = {
  gemini: { packages: ['@google/gemini-cli@0.61.0'], needsScripts: false },
  claude: { packages: ['@anthropic-ai/claude-code@2.1.325'], needsScripts: true },
  'claude-acp': { packages: ['@agentclientprotocol/claude-agent-acp@0.99.1'], needsScripts: true },
  codex: { packages: ['@openai/codex@0.166.0'], needsScripts: false },
  'codex-acp': { packages: ['@agentclientprotocol/codex-acp@2.6.0'], needsScripts: false },
  opencode: { packages: ['opencode-ai@1.18.18'], needsScripts: true },
  copilot: { packages: ['@github/copilot@1.0.102'], needsScripts: false },
  qwen: { packages: ['@qwen-code/qwen-code@0.24.4'], needsScripts: false },
  pi: { packages: ['@earendil-works/pi-coding-agent@0.87.1', 'pi-acp@0.0.34'], needsScripts: false },
}

/** Each agent as the operator would choose it, with a model that it knows. */
const cases = [
  { name: 'Gemini CLI', folder: 'gemini', choice: 'gemini=native', model: null },
  { name: 'Gemini CLI', folder: 'gemini', choice: 'gemini=acp', model: null },
  { name: 'Claude Code', folder: 'claude', choice: 'claude_code=native', model: null },
  { name: 'Claude Code', folder: 'claude-acp', choice: 'claude_code=acp', model: null },
  { name: 'Codex', folder: 'codex', choice: 'codex=native', model: 'gpt-5.5' },
  { name: 'Codex', folder: 'codex-acp', choice: 'codex=acp', model: 'gpt-5.5' },
  { name: 'opencode', folder: 'opencode', choice: 'opencode=acp', model: null },
  { name: 'Copilot', folder: 'copilot', choice: 'copilot=acp', model: null },
  { name: 'Qwen Code', folder: 'qwen', choice: 'qwen=acp', model: null },
  { name: 'pi', folder: 'pi', choice: 'pi=acp', model: null },
]

const root = path.join(import.meta.dirname, '..', '..')

const { values: options } = parseArgs({
  options: {
    /** Where the agents are installed. */
    folder: { type: 'string', default: path.join(root, 'node_modules', '.cache', 'agents') },
    /** Folders of the list above, apart by commas. */
    only: { type: 'string' },
    /** Tells what was heard. */
    verbose: { type: 'boolean', default: false },
  },
})

const say = (text: string) => process.stdout.write(`${text}\n`)

function install(name: string): void {
  const folder = path.join(options.folder, name)
  const bin = path.join(folder, 'node_modules', '.bin')
  if (existsSync(bin)) return
  const { packages: wanted, needsScripts } = packages[name]!
  say(`Installing ${wanted.join(' and ')} …`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n')
  const flags = ['--no-audit', '--no-fund', '--save-exact', ...(needsScripts ? [] : ['--ignore-scripts'])]
  execFileSync('npm', ['install', ...flags, ...wanted], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

interface Row {
  agent: string
  version: string
  via: string
  plan: string
  edit: string
  question: string
  resume: string
  budget: string
  cancel: string
  seconds: string
  tells: string
}

const yes = 'yes'

async function play({ name, folder, choice, model: modelName }: (typeof cases)[number]): Promise<Row> {
  const bin = path.join(options.folder, folder, 'node_modules', '.bin')
  const [executor] = choice.split('=')
  const agent = findAgents({ searchPath: bin, choices: [choice] }).find(
    (each) => each.executor.name === executor,
  )!
  using site = new Site()
  await using model = await startModel(scripts(site.worktree, site.out))
  const box = plainBox({ writesOutsideBlocked: true })
  const player = new Player(agent, box, site, model, modelName)
  const heard = (what: unknown) => {
    if (options.verbose) say(JSON.stringify(what, null, 1))
  }

  const plan = await player.play('plan', { readOnly: true })
  heard(plan)
  const planned = plan.end.ended === 'normally' && player.result('plan.json') !== null
  const began = performance.now()
  const edit = await player.play('edit')
  heard(edit)
  const seconds = (performance.now() - began) / 1000
  const edited = edit.end.ended === 'normally' && player.file('greeting.txt')?.trim() === 'Hello.'
  const resumed = await player.play('file-question', { session: sessionOf(edit) })
  heard(resumed)
  const isSame = sessionOf(resumed) === sessionOf(edit) && resumed.questions.length === 1
  const question = await player.play('question')
  heard(question)
  const budget = await player.play('over-budget')
  heard(budget)
  const cancel = await player.cancel()
  heard(cancel)
  heard(model.calls)
  const [usage] = usageOf(edit)
  return {
    agent: name,
    version: agent.executor.version ?? '?',
    via: agent.executor.via,
    plan: planned ? yes : `no (${plan.end.ended})`,
    edit: edited ? yes : `no (${edit.end.ended})`,
    question: question.questions.length === 1 ? 'tool' : resumed.questions.length === 1 ? 'file' : 'no',
    resume: isSame ? yes : resumed.end.ended === 'normally' ? 'begins anew' : `no (${resumed.end.ended})`,
    budget:
      budget.end.ended === 'limit' ? yes : budget.end.ended === 'normally' ? 'silently' : 'as a failure',
    cancel: cancel.end.ended === 'cancelled' ? `${cancel.seconds.toFixed(1)} s` : `no (${cancel.end.ended})`,
    seconds: seconds.toFixed(1),
    tells: usage ? tellsOf(usage) : 'nothing',
  }
}

function tellsOf({ amount, input, cacheRead, output }: ReturnType<typeof usageOf>[number]): string {
  const tokens =
    input === undefined ? [] : [`${input} in${cacheRead ? ` (${cacheRead} cached)` : ''}, ${output} out`]
  return [...tokens, ...(amount === null ? [] : [`${amount.toFixed(5)} USD`])].join('; ')
}

const heads: Record<keyof Row, string> = {
  agent: 'Agent',
  version: 'Version',
  via: 'Via',
  plan: 'Plan',
  edit: 'Edit',
  question: 'Question',
  resume: 'Goes on',
  budget: 'Stops at 402',
  cancel: 'Cancelled in',
  seconds: 'Edit takes (s)',
  tells: 'Tells of the edit',
}

function tableOf(rows: Row[]): string {
  const names = Object.keys(heads) as (keyof Row)[]
  const lines = [
    names.map((name) => heads[name]),
    names.map(() => '---'),
    ...rows.map((row) => names.map((name) => row[name])),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const rows: Row[] = []
const wanted = options.only?.split(',')
for (const each of cases.filter(({ folder }) => wanted?.includes(folder) ?? true)) {
  say(`${each.name}, ${each.choice} …`)
  try {
    install(each.folder)
    rows.push(await play(each))
  } catch (error) {
    const none = Object.fromEntries(Object.keys(heads).map((name) => [name, '']))
    const why = `not tried: ${(error as Error).message.split('\n')[0]}`
    rows.push({ ...none, agent: each.name, via: each.choice.split('=')[1], tells: why } as Row)
  }
}
say(tableOf(rows))

if (!wanted)
  writeFileSync(
    path.join(root, 'docs', 'agents.md'),
    `# Coding agents that were tried

Written by \`npm run test:agents\`, which installs these versions and puts each through the same scenarios, without a language model: a server on loopback plays a script in the four formats that the agents speak. Every answer of it counts 1,000 tokens in, 200 of them cached, and 50 out; the edit takes three.

${tableOf(rows)}

- **Plan**: reads the repository and leaves \`plan.json\` in the result folder, without touching the worktree. **Edit**: writes a file and runs a command.
- **Question**: \`tool\` is \`request_human_input\`, offered to the agent over MCP; \`file\` means that it has no MCP and leaves \`question.json\` instead.
- **Goes on**: a second turn takes up the session of the first.
- **Stops at 402**: what the gateway answers when the money is used up ends the turn, and the agent says why. \`silently\`: it ends its turn as if it were done. The runner asks its gateway too, so every one ends at a limit.
- **Cancelled in**: from the wish to stop, while a command of its shell sleeps, to the end of the process.
- **Tells of the edit**: the agent's own numbers. They count only where no gateway does.
- Over ACP the version is that of the adapter, where there is one. Seconds are those of the machine it ran on; compare them with each other only.
`,
  )
if (rows.some((row) => !row.edit.startsWith(yes))) process.exitCode = 1

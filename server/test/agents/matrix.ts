import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  chosen,
  programsOf,
  root,
  type TriedAgent,
  tableOf,
  triedAgents,
  triedOptions,
} from '../../../runner/test/tried-agents.ts'
import { globalSetup, globalTeardown } from '../cluster.ts'
import { Product } from './product.ts'
import { asks, edits, isStopped, overspends } from './scenarios.ts'

/**
 * `npm run test:agents`: installs the coding agents that the project itself does not bring and plays each through the
 * whole product. A server, a runner of its own with its box and its gateway, a repository that is merged into; only the
 * language model is a script. Prints one table and writes it to docs/agents.md; with `--only`, the rows of those.
 */
const { values: options } = parseArgs({ options: triedOptions })
const say = (text: string) => process.stdout.write(`${text}\n`)
const page = path.join(root, 'docs', 'agents.md')

const scenarios = [
  { head: 'Merged in', play: edits },
  { head: 'Asks by', play: asks },
  { head: 'Stops at its budget', play: overspends },
  { head: 'Stopped in', play: isStopped },
]
const heads = ['Agent', 'Version', 'Via', ...scenarios.map(({ head }) => head)]
let failed = 0

/** What went wrong, as a cell takes it. */
function failure(why: string, error: unknown): string {
  failed += 1
  const [line = ''] = (error as Error).message.split('\n')
  say(`  ${why}: ${(error as Error).stack ?? error}`)
  return `${why}: ${line.replaceAll('|', '/').slice(0, 200)}`
}

async function rowOf(agent: TriedAgent): Promise<string[]> {
  const cells: string[] = []
  let version = ''
  try {
    await using product = await Product.open(agent, programsOf(agent, options.folder))
    version = await product.version()
    for (const { head, play } of scenarios) {
      const cell = await play(product).catch((error) => failure('no', error))
      say(`  ${head}: ${cell}`)
      if (cell.startsWith('no: ')) say(product.said.replace(/^/gm, '  | '))
      cells.push(cell)
    }
  } catch (error) {
    cells.push(failure('not tried', error))
  }
  while (cells.length < scenarios.length) cells.push('')
  return [agent.name, version, agent.via, ...cells]
}

/** The rows that the page has, of agents that were not played now. */
function keptRows(text: string): Map<string, string[]> {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
  const isOurs = rows[0]?.join() === heads.join()
  return new Map(isOurs ? rows.slice(2).map((cells) => [`${cells[0]}, ${cells[2]}`, cells]) : [])
}

const nameOf = ({ name, via }: TriedAgent) => `${name}, ${via}`

await globalSetup()
const played = new Map<string, string[]>()
for (const agent of chosen(options)) {
  say(`${nameOf(agent)} …`)
  played.set(nameOf(agent), await rowOf(agent))
}
await globalTeardown()
say(tableOf([heads, ...played.values()]))

const [before = '', ...sections] = readFileSync(page, 'utf8').split(/^(?=## )/m)
const rows = new Map([...keptRows(before), ...played])
const table = tableOf([
  heads,
  ...triedAgents.flatMap((agent) => [rows.get(nameOf(agent)) ?? []]).filter(isRow),
])
writeFileSync(page, [textWith(table), ...sections].join(''))
if (failed > 0) process.exit(1)
// Those with an account instead of a key.
const [, , ...given] = process.argv
execFileSync(process.execPath, [path.join(root, 'runner', 'test', 'subscriptions.ts'), ...given], {
  stdio: 'inherit',
})
process.exit()

function isRow(cells: string[]): boolean {
  return cells.length > 0
}

function textWith(table: string): string {
  return `# Coding agents that were tried

Written by \`npm run test:agents\`, which installs these versions and gives each four stories, as a team would: a server, a runner with its box and its gateway, and a repository that is merged into. Nothing is left out but the language model: behind the gateway, a server on loopback plays a script in the four formats that the agents speak. Every answer of it counts 1,000 tokens in, 200 of them cached, and 50 out.

${table}

- **Merged in**: the story goes from Ready to merged with nobody asked. The agent plans it, writes the acceptance spec and does the work in the box; the gates pass, main has the change and is checked again, and the evidence is signed, verified and says \`box\`. The time is that of the whole run.
- **Asks by**: it asks a question in the middle of the work, a person answers, and it goes on in the same session until the change is merged. \`tool\` is \`request_human_input\`, offered to the agent over MCP; \`file\` means that it has no MCP and leaves \`question.json\` instead.
- **Stops at its budget**: a story with a small budget. The run stops and asks for more before a call could go over it; the numbers are what the model counted itself. A price list of the test's own makes an answer cost a little more than a cent.
- **Stopped in**: a person stops the run while a command of the agent's shell sleeps. The time is until no process of the run is left.
- In all four, what the gateway booked equals what the model counted, to the token.
- Over ACP the version is that of the adapter, where there is one. Times are those of the machine it ran on; compare them with each other only.

`
}

import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  chosen,
  programsOf,
  root,
  type TriedAgent,
  tableOf,
  triedOptions,
} from '../../../runner/test/tried-agents.ts'
import { globalSetup, globalTeardown } from '../cluster.ts'
import { writeRows } from './page.ts'
import { Product } from './product.ts'
import { asks, edits, isStopped, overspends } from './scenarios.ts'

/**
 * `npm run test:agents`: installs the coding agents that the project itself does not bring and plays each through the
 * whole product. A server, a runner of its own with its box and its gateway, a repository that is merged into; only the
 * language model is a script. Prints one table and writes each row into docs/agents.md; with `--only`, the others stay.
 */
const { values: options } = parseArgs({ options: triedOptions })
const say = (text: string) => process.stdout.write(`${text}\n`)

const scenarios = [
  { head: 'Merged in', play: edits },
  { head: 'Asks by', play: asks },
  { head: 'Stops at its budget', play: overspends },
  { head: 'Stopped in', play: isStopped },
]
const heads = ['Agent', 'Version', 'Via', ...scenarios.map(({ head }) => head)]
let failures = 0

/** What went wrong, as a cell takes it. */
function failed(what: string, error: Error): string {
  failures += 1
  say(error.stack ?? error.message)
  const [line = ''] = error.message.split('\n')
  return `${what}: ${line.replaceAll('|', '/').slice(0, 200)}`
}

async function rowOf(agent: TriedAgent): Promise<string[]> {
  const cells: string[] = []
  let version = ''
  try {
    await using product = await Product.open(agent, programsOf(agent, options.folder))
    version = await product.version()
    for (const { head, play } of scenarios) {
      const cell = await play(product).catch((error) => {
        say(product.said)
        return failed('no', error)
      })
      say(`  ${head}: ${cell}`)
      cells.push(cell)
    }
  } catch (error) {
    cells.push(failed('not tried', error as Error))
  }
  while (cells.length < scenarios.length) cells.push('')
  return [agent.name, version, agent.via, ...cells]
}

await globalSetup()
const rows: string[][] = []
for (const agent of chosen(options)) {
  say(`${agent.name}, ${agent.via} …`)
  const row = await rowOf(agent)
  rows.push(row)
  writeRows(heads, [row])
}
await globalTeardown()
say(tableOf([heads, ...rows]))
if (failures > 0) process.exit(1)
// Those that can have an account instead of a key.
const [, , ...given] = process.argv
const subscriptions = path.join(root, 'runner', 'test', 'subscriptions.ts')
process.exit(spawnSync(process.execPath, [subscriptions, ...given], { stdio: 'inherit' }).status ?? 1)

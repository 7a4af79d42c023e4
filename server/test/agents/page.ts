import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root, tableOf, triedAgents } from '../../../runner/test/tried-agents.ts'

const page = path.join(root, 'docs', 'agents.md')

/** Which agent a row is about, by its first and its third cell. */
const nameOf = ([name, , via]: readonly string[]): string => `${name}, ${via}`

/** Writes rows into the table of docs/agents.md. Other rows stay, and so does the text below. */
export function writeRows(heads: string[], played: string[][]): void {
  const [before = '', ...sections] = readFileSync(page, 'utf8').split(/^(?=## )/m)
  const rows = new Map([...rowsIn(before, heads), ...played].map((row) => [nameOf(row), row]))
  const sorted = triedAgents.flatMap(({ name, via }) => {
    const row = rows.get(nameOf([name, '', via]))
    return row ? [row] : []
  })
  writeFileSync(page, [textWith(tableOf([heads, ...sorted])), ...sections].join(''))
}

/** None where the table has other columns. */
function rowsIn(text: string, heads: string[]): string[][] {
  const [first, , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
  return first?.join() === heads.join() ? rows : []
}

const textWith = (table: string) => `# Coding agents that were tried

Written by \`npm run test:agents\`, which installs these versions and gives each four stories, as a team would: on a server, with a runner, its box and its gateway, and a repository that is merged into. Only the language model is missing: behind the gateway, a server on loopback plays a script in the four formats that the agents speak. Every answer of it counts 1,000 tokens in, 200 of them cached, and 50 out.

${table}

- **Merged in**: the story goes from Ready to merged, and no one is asked. The agent plans it, writes the acceptance spec and does the work in the box. The gates pass, main has the change and is checked again, and the evidence is signed, can be verified and says \`box\`. The time is that of the whole run.
- **Asks by**: it asks a question in the middle of the work, a person answers, and it goes on in the same session until the change is merged. \`tool\` is \`request_human_input\`, offered to the agent over MCP; \`file\` means that it has no MCP and leaves \`question.json\` instead.
- **Stops at its budget**: a run with a small budget stops before a call could go over it, and asks a person for more. The numbers are the model's own: how often it answered, and what it billed. The test has prices of its own, so that a few answers are enough.
- **Stopped in**: a person stops the run while a command of the agent's shell sleeps. The time is until no process of the run is left.
- In each of them, what the gateway booked is what the model counted, to the token.
- Over ACP the version is that of the adapter, where there is one. Times are those of the machine it ran on; compare them with each other only.

`

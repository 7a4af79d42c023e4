import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { executors } from '@signalbox/contract/team.ts'

/** A coding agent as an operator would choose it, with a model that it knows. */
export interface TriedAgent {
  name: string
  executor: (typeof executors)[number]
  via: 'native' | 'acp'
  /** Where it is installed: two of these may share an installation. */
  folder: string
  model: string | null
}

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

export const triedAgents: TriedAgent[] = [
  { name: 'Gemini CLI', executor: 'gemini', via: 'native', folder: 'gemini', model: null },
  { name: 'Gemini CLI', executor: 'gemini', via: 'acp', folder: 'gemini', model: null },
  { name: 'Claude Code', executor: 'claude_code', via: 'native', folder: 'claude', model: null },
  { name: 'Claude Code', executor: 'claude_code', via: 'acp', folder: 'claude-acp', model: null },
  { name: 'Codex', executor: 'codex', via: 'native', folder: 'codex', model: 'gpt-5.5' },
  { name: 'Codex', executor: 'codex', via: 'acp', folder: 'codex-acp', model: 'gpt-5.5' },
  { name: 'opencode', executor: 'opencode', via: 'acp', folder: 'opencode', model: null },
  { name: 'Copilot', executor: 'copilot', via: 'acp', folder: 'copilot', model: null },
  { name: 'Qwen Code', executor: 'qwen', via: 'acp', folder: 'qwen', model: null },
  { name: 'pi', executor: 'pi', via: 'acp', folder: 'pi', model: null },
]

export const root = path.join(import.meta.dirname, '..', '..')

/** What both programs of `npm run test:agents` take. */
export const triedOptions = {
  /** Where the agents are installed. */
  folder: { type: 'string', default: path.join(root, 'node_modules', '.cache', 'agents') },
  /** Folders of the list above, comma-separated. */
  only: { type: 'string', default: '' },
} as const

export const chosen = ({ only }: { only: string }): TriedAgent[] =>
  triedAgents.filter(({ folder }) => only === '' || only.split(',').includes(folder))

/** Installs an agent where it is not there yet, and says where its programs are. */
export function programsOf({ folder: name }: TriedAgent, under: string): string {
  const folder = path.join(under, name)
  const programs = path.join(folder, 'node_modules', '.bin')
  if (existsSync(programs)) return programs
  const { packages: wanted, needsScripts } = packages[name]!
  process.stdout.write(`Installing ${wanted.join(' and ')} …\n`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n')
  const flags = ['--no-audit', '--no-fund', '--save-exact', ...(needsScripts ? [] : ['--ignore-scripts'])]
  execFileSync('npm', ['install', ...flags, ...wanted], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return programs
}

export const tableOf = (rows: readonly (readonly string[])[]): string => {
  const [heads = [], ...others] = rows
  return [heads, heads.map(() => '---'), ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

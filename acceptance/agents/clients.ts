import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A coding agent as someone has it on their machine: its settings, and a home of its own. */
export interface McpClient {
  name: string
  folder: string
  package: string
  needsScripts: boolean
  /** Does with the snippet of the Connect page what the page says. */
  connect(at: Machine, snippet: string): Promise<void>
  /** What is typed to let it work on a prompt without anyone at the keyboard. */
  command(prompt: string): string[]
  environment(at: Pick<Machine, 'home' | 'model'>): Record<string, string>
}

export interface Machine {
  home: string
  project: string
  /** Of the scripted model. */
  model: string
  /** Runs a line in a shell there. */
  shell(line: string): Promise<string>
}

const key = 'none-is-needed'
const openai = 'gpt-5.5'

export const clients: McpClient[] = [
  {
    name: 'Claude Code',
    folder: 'claude',
    package: '@anthropic-ai/claude-code@2.1.325',
    needsScripts: true,
    connect: async ({ shell }, snippet) => void (await shell(snippet)),
    command: (prompt) => [
      ...['claude', '-p', prompt, '--output-format', 'stream-json', '--verbose'],
      ...['--allowedTools', 'mcp__signalbox'],
    ],
    environment: ({ home, model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ENABLE_TOOL_SEARCH: 'false',
      // On a busy machine its first turn would come before the tools; a person's would come after.
      MCP_CONNECTION_NONBLOCKING: 'false',
      MCP_CONNECT_TIMEOUT_MS: '60000',
    }),
  },
  {
    name: 'Codex',
    folder: 'codex',
    package: '@openai/codex@0.166.0',
    needsScripts: false,
    async connect({ home, model }, snippet) {
      const lines = [
        'model_provider = "scripted"',
        `model = "${openai}"`,
        'approval_policy = "never"',
        'sandbox_mode = "read-only"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.scripted]',
        'name = "Scripted"',
        `base_url = "${model}/v1"`,
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        snippet,
        // What a person would press for each call.
        'default_tools_approval_mode = "approve"',
      ]
      await write(path.join(home, '.codex', 'config.toml'), `${lines.join('\n')}\n`)
    },
    command: (prompt) => ['codex', 'exec', '--json', '--skip-git-repo-check', prompt],
    environment: ({ home }) => ({ CODEX_HOME: path.join(home, '.codex'), SCRIPTED_KEY: key }),
  },
  {
    name: 'Gemini CLI',
    folder: 'gemini',
    package: '@google/gemini-cli@0.61.0',
    needsScripts: false,
    async connect({ home, shell }, snippet) {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
      }
      await write(path.join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
      await shell(snippet)
    },
    command: (prompt) => [
      ...['gemini', '-p', prompt, '-m', 'gemini-2.5-pro', '--approval-mode', 'yolo'],
      ...['--skip-trust', '--output-format', 'json'],
    ],
    environment: ({ model }) => ({
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: key,
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
  },
  {
    name: 'opencode',
    folder: 'opencode',
    package: 'opencode-ai@1.18.18',
    needsScripts: true,
    async connect({ project, model }, snippet) {
      const provider = {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${model}/v1`, apiKey: key },
        models: { [openai]: { limit: { context: 200_000, output: 32_000 } } },
      }
      const config = {
        ...JSON.parse(snippet),
        provider: { scripted: provider },
        ...{ model: `scripted/${openai}`, small_model: `scripted/${openai}` },
        ...{ autoupdate: false, share: 'disabled', snapshot: false },
      }
      await write(path.join(project, 'opencode.json'), JSON.stringify(config))
    },
    command: (prompt) => ['opencode', 'run', '--format', 'json', prompt],
    environment: ({ home }) => ({
      XDG_CONFIG_HOME: path.join(home, '.config'),
      XDG_DATA_HOME: path.join(home, '.local', 'share'),
      XDG_STATE_HOME: path.join(home, '.local', 'state'),
      XDG_CACHE_HOME: path.join(home, '.cache'),
      ...Object.fromEntries(
        ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS'].map((part) => [
          `OPENCODE_DISABLE_${part}`,
          '1',
        ]),
      ),
    }),
  },
]

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text)
}

const cache = path.resolve(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'agents')
export const programsOf = ({ folder }: McpClient) => path.join(cache, folder, 'node_modules', '.bin')

/** In the folder in which the runner's tests have them, too. */
export async function install(client: McpClient): Promise<{ version: string }> {
  const folder = path.join(cache, client.folder)
  const [, name, wanted] = /^(.+)@([^@]+)$/.exec(client.package)!
  const manifest = path.join(folder, 'node_modules', name!, 'package.json')
  const found = await readFile(manifest, 'utf8').catch(() => null)
  if (!found) {
    await write(path.join(folder, 'package.json'), '{ "private": true }\n')
    const flags = ['--no-audit', '--no-fund', '--save-exact']
    if (!client.needsScripts) flags.push('--ignore-scripts')
    await new Promise<void>((resolve, reject) =>
      execFile('npm', ['install', ...flags, client.package], { cwd: folder }, (error) =>
        error ? reject(error) : resolve(),
      ),
    )
  }
  const { version } = JSON.parse(found ?? (await readFile(manifest, 'utf8')))
  return { version: version ?? wanted }
}

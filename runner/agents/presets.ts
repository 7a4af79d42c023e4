import type { executors } from '@signalbox/contract/team.ts'
import type { Api } from '../gateway/apis.ts'
import { backdateSession } from './gemini-sessions.ts'
import { type Configuration, placeholderKey, type Setup } from './setup.ts'

/** How an agent is launched and configured, whichever way it is talked to. */
export interface Preset {
  /** What a policy calls it. */
  executor: (typeof executors)[number]
  /** Over ACP: the program, and what it needs beside it on its PATH. */
  acp: { program: string; args: string[]; needs: string[] }
  configure(setup: Setup): Configuration
  /** Whose key the gateway needs for it. */
  api: Api
  /** Whether it takes the servers that ACP carries; otherwise they are in its configuration. */
  takesServers: boolean
  /** What has to be done in its home before it loads a session over ACP. */
  beforeLoading?: (home: string, session: string) => void
  /** Whether the input tokens that it reports over ACP leave out cached ones. */
  reportsCachedTokensSeparately: boolean
}

/** The name of our server and of our provider in their configurations. */
const us = 'signalbox'

/** For agents that want to be told a model, where a policy names none. */
const openaiModel = 'gpt-5.5'
const googleModel = 'gemini-2.5-pro'

const openaiModelOr = (model: string | null) => model ?? openaiModel

function claude({ url, model, isBoxed }: Setup): Configuration {
  return {
    environment: {
      ...(url ? { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: placeholderKey } : {}),
      ...(model ? { ANTHROPIC_MODEL: model } : {}),
      // It refuses to run as root without asking, unless it is told that something holds it.
      ...(isBoxed ? { IS_SANDBOX: '1' } : {}),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Our one tool is there from the start instead of being looked for.
      ENABLE_TOOL_SEARCH: 'false',
    },
    files: {},
    args: [],
  }
}

function codex(setup: Setup): Configuration {
  const { url, model, isBoxed, readOnly, out, beside, maySearch, askServer } = setup
  const quoted = JSON.stringify
  // Where its own sandbox lets it write, other than in the folder that it starts in.
  const writable = [...(out === null ? [] : [out]), ...(readOnly ? [] : beside.map(({ folder }) => folder))]
  const lines = [
    ...(url ? [`model_provider = "${us}"`] : []),
    ...(model ? [`model = ${quoted(model)}`] : []),
    'approval_policy = "never"',
    // Its own sandbox fails every call inside of another.
    `sandbox_mode = "${isBoxed ? 'danger-full-access' : readOnly && out === null ? 'read-only' : 'workspace-write'}"`,
    'check_for_update_on_startup = false',
    // It is on by default, and the gateway lets no call through that brings it.
    ...(maySearch ? [] : ['web_search = "disabled"']),
    '[analytics]',
    'enabled = false',
    ...(isBoxed || writable.length === 0
      ? []
      : ['[sandbox_workspace_write]', `writable_roots = ${quoted(writable)}`]),
    '[shell_environment_policy]',
    'inherit = "core"',
    // With an account it would bring what the operator has connected to it: mail, drives, other repositories.
    ...(url ? [] : ['[features]', 'apps = false', 'plugins = false', 'remote_plugin = false']),
  ]
  if (url)
    lines.push(
      `[model_providers.${us}]`,
      'name = "Signalbox"',
      `base_url = ${quoted(`${url}/v1`)}`,
      'wire_api = "responses"',
      'env_key = "SIGNALBOX_MODEL_KEY"',
    )
  if (askServer)
    lines.push(
      `[mcp_servers.${us}]`,
      `command = ${quoted(askServer[0])}`,
      `args = ${quoted(askServer.slice(1))}`,
      'default_tools_approval_mode = "approve"',
    )
  return {
    environment: {
      ...(url ? { SIGNALBOX_MODEL_KEY: placeholderKey } : {}),
      // Its adapter has modes of its own, which go before the configuration.
      INITIAL_AGENT_MODE: isBoxed ? 'agent-full-access' : 'workspace-write',
    },
    files: { '.codex/config.toml': `${lines.join('\n')}\n` },
    args: [],
  }
}

function gemini(setup: Setup): Configuration {
  const { url, model, home, out, denied, worktree, beside, readOnly, askServer } = setup
  const trees = [{ folder: worktree, denied }, ...beside]
  const settings = {
    security: { auth: { selectedType: url ? 'gemini-api-key' : 'oauth-personal' } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ...(askServer
      ? { mcpServers: { [us]: { command: askServer[0], args: askServer.slice(1), trust: true } } }
      : {}),
  }
  const policy = '.gemini/signalbox-policy.toml'
  return {
    environment: {
      ...(url ? { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: placeholderKey } : {}),
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
    files: {
      '.gemini/settings.json': JSON.stringify(settings),
      [policy]: geminiPolicy(
        trees.flatMap((tree) =>
          readOnly ? [tree.folder] : tree.denied.map((path) => `${tree.folder}/${path}`),
        ),
      ),
    },
    args: [
      '--skip-trust',
      // With a model that it may choose itself, it asks another one first.
      ...['-m', model ?? googleModel],
      ...['--admin-policy', `${home}/${policy}`],
      ...[...(out === null ? [] : [out]), ...beside.map(({ folder }) => folder)].flatMap((folder) => [
        ...['--include-directories', folder],
      ]),
    ],
  }
}

/** Rules see arguments only; it is the box that holds. */
function geminiPolicy(closed: string[]): string {
  const letters = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  return closed
    .map((path) =>
      [
        '[[rule]]',
        'toolName = ["write_file", "replace"]',
        `argsPattern = ${JSON.stringify(`"file_path":"${letters(path)}["/]`)}`,
        'decision = "deny"',
        'priority = 900',
        '',
      ].join('\n'),
    )
    .join('\n')
}

function opencode({ url, model, home }: Setup): Configuration {
  const name = openaiModelOr(model)
  const provider = {
    [us]: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: placeholderKey },
      models: { [name]: { limit: { context: 200_000, output: 32_000 } } },
    },
  }
  const chosen = url ? `${us}/${name}` : model
  const config = {
    ...(url ? { provider } : {}),
    ...(chosen ? { model: chosen, small_model: chosen } : {}),
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
  }
  return {
    environment: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      ...Object.fromEntries(
        ['PROJECT_CONFIG', 'AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS'].map((part) => [
          `OPENCODE_DISABLE_${part}`,
          '1',
        ]),
      ),
      XDG_CONFIG_HOME: `${home}/.config`,
      XDG_DATA_HOME: `${home}/.local/share`,
      XDG_STATE_HOME: `${home}/.local/state`,
      XDG_CACHE_HOME: `${home}/.cache`,
    },
    files: {},
    args: [],
  }
}

function copilot({ url, model, askServer }: Setup): Configuration {
  const [command, ...args] = askServer ?? []
  const servers = { mcpServers: { [us]: { type: 'local', command, args, tools: ['*'] } } }
  return {
    environment: {
      ...(url
        ? {
            COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
            COPILOT_PROVIDER_WIRE_API: 'responses',
            COPILOT_MODEL: openaiModelOr(model),
            COPILOT_OFFLINE: 'true',
          }
        : { ...(model ? { COPILOT_MODEL: model } : {}) }),
      COPILOT_AUTO_UPDATE: 'false',
    },
    files: {},
    args: [
      ...['--no-ask-user', '--disable-builtin-mcps'],
      ...(askServer ? ['--additional-mcp-config', JSON.stringify(servers)] : []),
    ],
  }
}

function qwen({ url, model }: Setup): Configuration {
  return {
    environment: url
      ? { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: placeholderKey, OPENAI_MODEL: openaiModelOr(model) }
      : {},
    // Our one tool is there from the start instead of being looked for.
    files: { '.qwen/settings.json': JSON.stringify({ tools: { toolSearch: { enabled: false } } }) },
    args: url ? ['--auth-type', 'openai'] : [],
  }
}

function pi({ url, model }: Setup): Configuration {
  const id = openaiModelOr(model)
  const provider = {
    baseUrl: `${url}/v1`,
    api: 'openai-completions',
    apiKey: placeholderKey,
    models: [{ id }],
  }
  return {
    environment: { PI_OFFLINE: '1' },
    files: url
      ? {
          '.pi/agent/models.json': JSON.stringify({ providers: { [us]: provider } }),
          '.pi/agent/settings.json': JSON.stringify({ defaultProvider: us, defaultModel: id }),
        }
      : {},
    args: [],
  }
}

/** By the name that the operator uses. Those without an executor of their own go by `command`. */
export const presets = {
  claude_code: {
    executor: 'claude_code',
    acp: { program: 'claude-agent-acp', args: [], needs: [] },
    configure: claude,
    api: 'anthropic',
    takesServers: true,
    reportsCachedTokensSeparately: true,
  },
  codex: {
    executor: 'codex',
    acp: { program: 'codex-acp', args: [], needs: [] },
    configure: codex,
    api: 'openai',
    takesServers: true,
    reportsCachedTokensSeparately: true,
  },
  gemini: {
    executor: 'gemini',
    acp: { program: 'gemini', args: ['--acp'], needs: [] },
    configure: gemini,
    api: 'google',
    takesServers: true,
    beforeLoading: backdateSession,
    reportsCachedTokensSeparately: false,
  },
  opencode: {
    executor: 'opencode',
    acp: { program: 'opencode', args: ['acp'], needs: [] },
    configure: opencode,
    api: 'openai',
    takesServers: true,
    reportsCachedTokensSeparately: true,
  },
  copilot: {
    executor: 'copilot',
    acp: { program: 'copilot', args: ['--acp', '--stdio'], needs: [] },
    configure: copilot,
    api: 'openai',
    takesServers: false,
    reportsCachedTokensSeparately: false,
  },
  qwen: {
    executor: 'qwen',
    acp: { program: 'qwen', args: ['--acp'], needs: [] },
    configure: qwen,
    api: 'openai',
    takesServers: true,
    reportsCachedTokensSeparately: false,
  },
  pi: {
    executor: 'pi',
    acp: { program: 'pi-acp', args: [], needs: ['pi'] },
    configure: pi,
    api: 'openai',
    takesServers: true,
    reportsCachedTokensSeparately: true,
  },
} satisfies Record<string, Preset>

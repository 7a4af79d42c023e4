/** How each coding agent is told where the MCP server is. What goes into a shell is quoted for one. */
export interface McpClient {
  name: string
  /** Where the text goes. */
  where: string
  /** What a person should also know. */
  note?: string
  snippet: (at: Connected) => string
}

interface Connected {
  /** Of the MCP server: ends in `/mcp`. */
  url: string
  token: string
}

const json = (value: unknown) => JSON.stringify(value, null, 2)
const bearer = (token: string) => `Authorization: Bearer ${token}`
const headers = (token: string) => ({ Authorization: `Bearer ${token}` })
const terminal = 'Run in a terminal'

export const mcpClients = {
  claude_code: {
    name: 'Claude Code',
    where: terminal,
    snippet: ({ url, token }) =>
      `claude mcp add --scope user --transport http signalbox ${url} --header "${bearer(token)}"`,
  },
  codex: {
    name: 'Codex',
    where: 'Add to ~/.codex/config.toml',
    snippet: ({ url, token }) =>
      `[mcp_servers.signalbox]\nurl = "${url}"\nhttp_headers = { "Authorization" = "Bearer ${token}" }`,
  },
  gemini: {
    name: 'Gemini CLI',
    where: terminal,
    snippet: ({ url, token }) =>
      `gemini mcp add --scope user --transport http --header "${bearer(token)}" signalbox ${url}`,
  },
  opencode: {
    name: 'opencode',
    where: 'Add to opencode.json',
    note: 'In opencode 2, put it under mcp.servers and leave out enabled.',
    snippet: ({ url, token }) =>
      json({
        $schema: 'https://opencode.ai/config.json',
        mcp: {
          signalbox: { type: 'remote', url, enabled: true, oauth: false, headers: headers(token) },
        },
      }),
  },
  copilot: {
    name: 'GitHub Copilot CLI',
    where: 'Add to ~/.copilot/mcp-config.json',
    snippet: ({ url, token }) =>
      json({ mcpServers: { signalbox: { type: 'http', url, headers: headers(token), tools: ['*'] } } }),
  },
  cursor: {
    name: 'Cursor',
    where: 'Add to ~/.cursor/mcp.json',
    snippet: ({ url, token }) => json({ mcpServers: { signalbox: { url, headers: headers(token) } } }),
  },
  vscode: {
    name: 'VS Code',
    where: 'Add with the command MCP: Open User Configuration',
    snippet: ({ url, token }) =>
      json({ servers: { signalbox: { type: 'http', url, headers: headers(token) } } }),
  },
} as const satisfies Record<string, McpClient>

export type McpClientId = keyof typeof mcpClients

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type McpClient, mcpClients } from './clients.ts'

const at = { url: 'https://signalbox.example.com/mcp', token: `tk_${'a'.repeat(32)}` }
const clients: Record<string, McpClient> = mcpClients
const said = (id: string) => clients[id]!.snippet(at)

test('every snippet has the address of the server and the token as a bearer', () => {
  for (const [id, client] of Object.entries(clients)) {
    const snippet = client.snippet(at)
    assert.ok(snippet.includes(at.url), id)
    assert.ok(snippet.includes(`Bearer ${at.token}`), id)
  }
})

test('what goes into a file is what each client reads', () => {
  const headers = { Authorization: `Bearer ${at.token}` }
  assert.deepEqual(JSON.parse(said('opencode')).mcp.signalbox, {
    ...{ type: 'remote', url: at.url, enabled: true, oauth: false, headers },
  })
  assert.deepEqual(JSON.parse(said('copilot')).mcpServers.signalbox, {
    ...{ type: 'http', url: at.url, headers, tools: ['*'] },
  })
  assert.deepEqual(JSON.parse(said('cursor')).mcpServers.signalbox, { url: at.url, headers })
  assert.deepEqual(JSON.parse(said('vscode')).servers.signalbox, { type: 'http', url: at.url, headers })
  assert.equal(
    said('codex'),
    `[mcp_servers.signalbox]\nurl = "${at.url}"\nhttp_headers = { "Authorization" = "Bearer ${at.token}" }`,
  )
})

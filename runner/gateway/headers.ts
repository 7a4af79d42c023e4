import type http from 'node:http'
import type { ModelTool } from '@signalbox/contract/model-tools.ts'

/**
 * What of Anthropic's tryouts is allowed, without their dates. Others may bring other prices, longer inputs or
 * tools of the provider's own; they are left out, and what needs them is then refused by the provider.
 */
const tryouts = new Set([
  'adaptive-thinking',
  'advanced-tool-use',
  'cache-diagnosis',
  'claude-code',
  'computer-use',
  'context-hint',
  'context-management',
  'effort',
  'extended-cache-ttl',
  'fine-grained-tool-streaming',
  'inline-tools',
  'interleaved-thinking',
  'max-tokens-3-5-sonnet',
  'mid-conversation-effort',
  'mid-conversation-output-config',
  'mid-conversation-system',
  'mid-conversation-system-clear-at',
  'mid-conversation-tool-changes',
  'model-context-window-exceeded',
  'output-128k',
  'pdfs',
  'per-turn-control',
  'prompt-caching',
  'prompt-caching-evict',
  'prompt-caching-scope',
  'redact-thinking',
  'structured-outputs',
  'task-budgets',
  'thinking-binding-controls',
  'thinking-display-updates',
  'thinking-token-count',
  'token-counting',
  'token-efficient-tools',
  'tool-examples',
  'tool-search-tool',
])
const tryoutsOf: Partial<Record<ModelTool, string>> = {
  web_search: 'web-search',
  web_fetch: 'web-fetch',
  remote_mcp: 'mcp-client',
}

/**
 * What is passed on of an agent's request. Its key is a placeholder, and headers that identify the client are dropped.
 */
export function passedOn(
  { headers }: http.IncomingMessage,
  allowed: readonly ModelTool[],
): Record<string, string> {
  const also = allowed.map((tool) => tryoutsOf[tool])
  const tried = listed(headers['anthropic-beta']).filter((name) => {
    const undated = name.replace(/-\d{4}-?\d{2}-?\d{2}$/, '')
    return tryouts.has(undated) || also.includes(undated)
  })
  const openai = listed(headers['openai-beta']).filter((name) => /^responses=[\w-]+$/.test(name))
  return Object.fromEntries(
    [
      ['accept', headers.accept],
      ['user-agent', headers['user-agent']],
      ['anthropic-version', headers['anthropic-version']],
      ['anthropic-beta', tried.join(',')],
      ['openai-beta', openai.join(',')],
    ].filter((pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== ''),
  )
}

const listed = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value.join(',') : (value ?? '')).split(',').map((name) => name.trim())

/** Of the query, what says how the answer is written. A key is a placeholder; the rest could hide what was used. */
export function passedQuery(search: string): string {
  const given = new URLSearchParams(search)
  const wanted = new URLSearchParams()
  if (given.get('alt') === 'sse') wanted.set('alt', 'sse')
  if (given.get('beta') === 'true') wanted.set('beta', 'true')
  const text = wanted.toString()
  return text ? `?${text}` : ''
}

import { type Format, leastAnswer } from './format.ts'
import {
  any,
  byType,
  type Json,
  type Look,
  listOf,
  mostToolUses,
  NotAllowed,
  never,
  object,
  objectAt,
  one,
  type Rule,
  storedFile,
  textOr,
  unknownField,
  whole,
} from './inspect-request.ts'

const image: Rule = (part, field, look) =>
  byType({
    base64: (source, at) => {
      const { data, media_type: mediaType } = objectAt(source, at)
      look.image(data ?? '', mediaType, at)
    },
    url: (_, at) => {
      look.needs('remote_files', at)
      look.image(null, null, at)
    },
    file: storedFile,
  })(objectAt(part, field).source, `${field}.source`, look)

const document: Rule = (part, field, look) =>
  byType({
    text: any,
    content: (source, at) => textOr(listOf(content))(objectAt(source, at).content, `${at}.content`, look),
    base64: () => {
      look.documents++
    },
    url: (_, at) => {
      look.needs('remote_files', at)
      look.documents++
    },
    file: storedFile,
  })(objectAt(part, field).source, `${field}.source`, look)

const result: Rule = (part, field, look) => {
  const inner = objectAt(part, field).content
  if (inner !== undefined && inner !== null) textOr(listOf(content))(inner, `${field}.content`, look)
}

const fetched =
  (tool: 'web_search' | 'web_fetch' | 'remote_mcp'): Rule =>
  (_, field, look) => {
    look.needs(tool, field)
    if (tool === 'web_fetch') look.documents++
  }

/** A tool that joins in the middle of a conversation: one that was named before, or a new one. */
const joining: Rule = (part, field, look) =>
  byType({
    tool_reference: any,
    tool_definition: (joined, at) => tool(objectAt(joined, at).definition, `${at}.definition`, look),
  })(objectAt(part, field).tool, `${field}.tool`, look)

const content: Rule = byType({
  text: any,
  tool_addition: joining,
  tool_removal: any,
  image,
  document,
  tool_use: any,
  tool_result: result,
  tool_reference: any,
  thinking: any,
  redacted_thinking: any,
  search_result: result,
  // Who has used such a tool in an earlier answer sends it along with the next question.
  server_tool_use: (part, field, look) => {
    const { name } = objectAt(part, field)
    look.needs(name === 'web_fetch' ? 'web_fetch' : 'web_search', field)
  },
  web_search_tool_result: fetched('web_search'),
  web_fetch_tool_result: fetched('web_fetch'),
  mcp_tool_use: fetched('remote_mcp'),
  mcp_tool_result: fetched('remote_mcp'),
})

/** What a client executes itself. The provider adds words of its own to describe it. */
const atTheClient = /^(bash|text_editor|memory|computer)_\d{8}$/

const tool: Rule = (value, field, look) => {
  const { type } = objectAt(value, field)
  look.deferred(value)
  if (type === undefined || type === null || type === 'custom') return
  if (atTheClient.test(String(type))) {
    look.describedTools++
    return
  }
  // Later versions of these run code at the provider to look through what they found.
  if (type === 'web_search_20250305' || type === 'web_fetch_20250910') {
    look.needs(type === 'web_search_20250305' ? 'web_search' : 'web_fetch', field)
    look.serverTool(true)
    if (type === 'web_search_20250305') look.maySearch = true
    return
  }
  if (type === 'mcp_toolset') {
    look.needs('remote_mcp', field)
    look.serverTool(false)
    return
  }
  if (/^web_(search|fetch)_/.test(String(type))) {
    look.needs(String(type).startsWith('web_search') ? 'web_search' : 'web_fetch', field)
    throw new NotAllowed(
      `${field}.type`,
      `${type} runs code at the provider, whose time is not in its bill. Use web_search_20250305 or web_fetch_20250910.`,
    )
  }
  throw new NotAllowed(`${field}.type`, `${JSON.stringify(type)} is not allowed. ${unknownField}`)
}

const cleared: Rule = (edit, field) => {
  const { type } = objectAt(edit, field)
  if (!/^clear_(tool_uses|thinking)_\d{8}$/.test(String(type)))
    throw new NotAllowed(`${field}.type`, `${JSON.stringify(type)} is not allowed. ${unknownField}`)
}

const servers: Rule = (list, field, look) => {
  if (Array.isArray(list) && list.length === 0) return
  look.needs('remote_mcp', field)
  look.serverTool(false)
}

const effort = object({ effort: any, format: any, task_budget: any })

const fields = object({
  model: any,
  messages: listOf(
    object({ role: any, content: textOr(listOf(content)), output_config: effort, clear_at: any }),
  ),
  system: textOr(listOf(content)),
  // None at all warms the cache.
  max_tokens: whole(0),
  metadata: any,
  stop_sequences: any,
  stream: any,
  temperature: any,
  top_k: any,
  top_p: any,
  thinking: any,
  tools: listOf(tool),
  tool_choice: any,
  output_config: effort,
  diagnostics: any,
  // Left out: they let the provider answer with another model, or look at the answer with one.
  fallbacks: any,
  fallback_credit_token: any,
  safeguards: any,
  output_format: any,
  context_management: object({ edits: listOf(cleared) }),
  cache_control: any,
  mcp_servers: servers,
  service_tier: one('standard_only'),
  speed: one('standard'),
  inference_geo: one('global'),
  container: never('code that runs at the provider is not allowed: its time is not in the bill.'),
})

const budgetOf = (body: Json): number | null => {
  const { budget_tokens: budget } = (body.thinking ?? {}) as Json
  return typeof budget === 'number' ? budget : null
}

/** The least that Anthropic takes as a budget for thinking. */
const leastThinking = 1_024

export const messages: Format = {
  name: 'messages',
  api: 'anthropic',
  look: (body: Json, look: Look) => fields(body, '', look),
  turns: 'messages',
  most: ({ max_tokens: most }) => (typeof most === 'number' ? most : null),
  answers: () => 1,
  least: (body) => (budgetOf(body) === null ? leastAnswer : 2 * leastThinking),

  withMost(body, most) {
    const thinking = body.thinking as Json | undefined
    if (!thinking) return { max_tokens: most }
    const budget = budgetOf(body)
    // It does not take a budget for thinking that a shortened answer has no room for.
    const isTight = budget !== null && budget >= most && (messages.most(body) ?? most) > most
    const budgeted = { budget_tokens: Math.max(leastThinking, most - leastThinking) }
    return { max_tokens: most, thinking: { ...thinking, ...(isTight ? budgeted : {}) } }
  },

  forgets: ({ context_management: managed }) => JSON.stringify(managed ?? {}).includes('clear_tool_uses'),

  settled(body, { isOfficial }) {
    const leftOut = {
      ...{ fallbacks: undefined, fallback_credit_token: undefined, safeguards: undefined },
      // Unset, the account's default may be a dearer tier.
      ...(isOfficial ? { service_tier: 'standard_only' } : {}),
    }
    if (!Array.isArray(body.tools)) return leftOut
    return {
      ...leftOut,
      tools: (body.tools as Json[]).map((each) =>
        /^web_(search|fetch)_/.test(String(each.type))
          ? { ...each, max_uses: Math.min(usesOf(each), mostToolUses) }
          : each,
      ),
    }
  },
}

const usesOf = ({ max_uses: uses }: Json) =>
  Number.isSafeInteger(uses) && (uses as number) >= 1 ? (uses as number) : mostToolUses

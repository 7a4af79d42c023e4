import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelTool } from '@signalbox/contract/model-tools.ts'
import fc from 'fast-check'
import { parseModelCall } from './ask.ts'
import { mostPerImage } from './bounds.ts'
import { messages } from './formats/anthropic.ts'
import type { Format } from './formats/format.ts'
import { content, counting } from './formats/google.ts'
import { NotAllowed } from './formats/inspect-request.ts'
import { chat, responses } from './formats/openai.ts'
import { passedOn, passedQuery } from './headers.ts'
import { KnownInput } from './known-input.ts'
import { mostPriceOf } from './prices.ts'

const say = 'hello'
const least = {
  messages: { model: 'claude-opus-4-5', max_tokens: 100, messages: [{ role: 'user', content: say }] },
  chat: { model: 'gpt-5.5', messages: [{ role: 'user', content: say }] },
  responses: { model: 'gpt-5.5', input: [{ role: 'user', content: say }] },
  content: { contents: [{ role: 'user', parts: [{ text: say }] }] },
}

const ask = (format: Format, body: object, allowed: readonly ModelTool[] = [], isOfficial = false) =>
  parseModelCall(Buffer.from(JSON.stringify({ ...least[format.name], ...body })), {
    ...{ format, allowed, isOfficial, isBilled: true, prices: [] },
    model: format.name === 'content' ? 'gemini-2.5-pro' : null,
  })

const sent = (format: Format, body: object, allowed: readonly ModelTool[] = [], isOfficial = false) =>
  JSON.parse(Buffer.concat(ask(format, body, allowed, isOfficial).body(100)).toString())

/** The field that is named when a request is not allowed; null: it is. */
function refused(format: Format, body: object, allowed: readonly ModelTool[] = []): string | null {
  try {
    ask(format, body, allowed)
    return null
  } catch (error) {
    assert.ok(error instanceof NotAllowed, String(error))
    return error.field
  }
}

const everything: ModelTool[] = ['web_search', 'web_fetch', 'remote_mcp', 'remote_files']
const from = (content: object) => ({ messages: [{ role: 'user', content: [content] }] })
const item = (each: object) => ({ input: [each] })
const parts = (part: object) => ({ contents: [{ role: 'user', parts: [part] }] })
const png = 'aGVsbG8='

test('what an agent of each kind sends is let through as it is', () => {
  // Claude Code
  assert.equal(
    refused(messages, {
      ...{ stream: true, metadata: { user_id: 'u' }, thinking: { type: 'adaptive' }, temperature: 1 },
      system: [{ type: 'text', text: say, cache_control: { type: 'ephemeral', ttl: '1h', scope: 'global' } }],
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      output_config: { effort: 'high' },
      diagnostics: { previous_message_id: 'msg_1' },
      tools: [
        {
          name: 'Bash',
          description: say,
          input_schema: { type: 'object' },
          cache_control: { type: 'ephemeral' },
        },
        { name: 'Ask', input_schema: {}, defer_loading: true, strict: true, eager_input_streaming: true },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'edit' },
        { type: 'memory_20250818', name: 'memory' },
      ],
      tool_choice: { type: 'auto' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: say }] },
        {
          role: 'system',
          content: [
            { type: 'tool_addition', tool: { type: 'tool_reference', name: 'Ask' } },
            {
              type: 'tool_addition',
              tool: { type: 'tool_definition', definition: { name: 'New', input_schema: {} } },
            },
          ],
          output_config: { effort: 'low' },
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: say, signature: 's' },
            { type: 'redacted_thinking', data: 's' },
            { type: 'tool_use', id: 't', name: 'Read', input: { url: 'https://example.com' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't',
              content: [
                { type: 'text', text: say },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
                { type: 'tool_reference', tool_name: 'Ask' },
              ],
            },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: png } },
          ],
        },
      ],
    }),
    null,
  )
  // Codex
  assert.equal(
    refused(responses, {
      ...{ instructions: say, tool_choice: 'auto', parallel_tool_calls: true, store: false, stream: true },
      ...{ reasoning: { effort: 'high', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
      ...{ prompt_cache_key: 'k', text: { verbosity: 'low' }, client_metadata: { a: 'b' } },
      ...{ stream_options: { reasoning_summary_delivery: 'delta' }, previous_response_id: null },
      tools: [
        { type: 'function', name: 'exec_command', parameters: {}, strict: false },
        { type: 'custom', name: 'apply_patch', format: { type: 'grammar' } },
        { type: 'namespace', name: 'mcp', tools: [{ type: 'function', name: 'ask' }] },
        { type: 'tool_search', execution: 'client', description: say, parameters: {} },
        { type: 'local_shell' },
        { type: 'shell', environment: { type: 'local' } },
        { type: 'apply_patch' },
      ],
      input: [
        { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: say }] },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        {
          type: 'function_call_output',
          call_id: 'c',
          output: [{ type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'high' }],
        },
        { type: 'custom_tool_call_output', call_id: 'd', output: say },
        {
          type: 'tool_search_output',
          call_id: 's',
          execution: 'client',
          tools: [{ type: 'function', name: 'f' }],
        },
        { role: 'assistant', content: [{ type: 'output_text', text: say, annotations: [] }] },
      ],
    }),
    null,
  )
  // OpenCode, Qwen Code, pi
  assert.equal(
    refused(chat, {
      ...{ stream: true, stream_options: { include_usage: true }, max_tokens: 32_000, temperature: 0 },
      ...{ reasoning_effort: 'high', tool_choice: 'auto', parallel_tool_calls: false, store: false },
      tools: [{ type: 'function', function: { name: 'bash', parameters: {} } }],
      messages: [
        { role: 'system', content: say },
        {
          role: 'user',
          content: [
            { type: 'text', text: say },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          ],
        },
        { role: 'assistant', content: null, reasoning_content: say, tool_calls: [{ id: 'c' }] },
        { role: 'tool', tool_call_id: 'c', content: say },
      ],
    }),
    null,
  )
  // Gemini CLI
  assert.equal(
    refused(content, {
      systemInstruction: { role: 'user', parts: [{ text: say }] },
      tools: [{ functionDeclarations: [{ name: 'write_file', parametersJsonSchema: {} }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      safetySettings: [],
      generationConfig: { temperature: 1, topP: 0.95, topK: 64, thinkingConfig: { includeThoughts: true } },
      contents: [
        {
          role: 'model',
          parts: [
            { text: say, thought: true },
            { functionCall: { name: 'f' }, thoughtSignature: 's' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: png } }] },
      ],
    }),
    null,
  )
  const request = { generateContentRequest: { model: 'models/gemini-2.5-pro', ...least.content } }
  assert.equal(refused(counting, request), null)
})

test('whatever reaches the network through the provider is refused by name, unless the policy allows that', () => {
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })
  for (const [format, body, tool, field] of [
    [messages, { mcp_servers: [{ type: 'url', url: 'https://example.com' }] }, 'remote_mcp', 'mcp_servers'],
    [messages, { tools: [{ type: 'mcp_toolset', mcp_server_name: 'm' }] }, 'remote_mcp', 'tools[0]'],
    [messages, { tools: [{ type: 'web_search_20250305', name: 's' }] }, 'web_search', 'tools[0]'],
    [messages, { tools: [{ type: 'web_fetch_20250910', name: 'f' }] }, 'web_fetch', 'tools[0]'],
    [
      messages,
      from({ type: 'image', source: { type: 'url', url: 'https://example.com' } }),
      'remote_files',
      'messages[0].content[0].source',
    ],
    [
      messages,
      from({
        type: 'tool_result',
        content: [{ type: 'document', source: { type: 'url', url: 'https://e.com' } }],
      }),
      'remote_files',
      'messages[0].content[0].content[0].source',
    ],
    [
      messages,
      { system: [{ type: 'document', source: { type: 'url', url: 'https://e.com' } }] },
      'remote_files',
      'system[0].source',
    ],
    [chat, from(image('https://example.com/a.png')), 'remote_files', 'messages[0].content[0].image_url'],
    [responses, { tools: [{ type: 'web_search', external_web_access: false }] }, 'web_search', 'tools[0]'],
    [
      responses,
      { tools: [{ type: 'namespace', tools: [{ type: 'web_search' }] }] },
      'web_search',
      'tools[0].tools[0]',
    ],
    [
      responses,
      item({ type: 'tool_search_output', tools: [{ type: 'mcp', server_url: 'https://e.com' }] }),
      'remote_mcp',
      'input[0].tools[0]',
    ],
    [responses, { tools: [{ type: 'mcp', server_url: 'https://example.com' }] }, 'remote_mcp', 'tools[0]'],
    [
      responses,
      item({ role: 'user', content: [{ type: 'input_image', image_url: 'https://e.com' }] }),
      'remote_files',
      'input[0].content[0].image_url',
    ],
    [
      responses,
      item({ type: 'function_call_output', output: [{ type: 'input_file', file_url: 'https://e.com' }] }),
      'remote_files',
      'input[0].output[0].file_url',
    ],
    [
      content,
      parts({ fileData: { fileUri: 'https://example.com/a.mp4' } }),
      'remote_files',
      'contents[0].parts[0].fileData.fileUri',
    ],
    [
      counting,
      { generateContentRequest: parts({ fileData: { fileUri: 'https://e.com' } }) },
      'remote_files',
      'generateContentRequest.contents[0].parts[0].fileData.fileUri',
    ],
  ] as [Format, object, ModelTool, string][]) {
    assert.equal(refused(format, body), field)
    assert.equal(
      refused(
        format,
        body,
        everything.filter((each) => each !== tool),
      ),
      field,
    )
    assert.equal(refused(format, body, [tool]), null, field)
  }
})

test('what has no price, no bound or a memory at the provider is refused whatever the policy says', () => {
  for (const [format, body, field] of [
    [messages, { container: 'c' }, 'container'],
    [messages, { service_tier: 'auto' }, 'service_tier'],
    [messages, { speed: 'fast' }, 'speed'],
    [messages, { inference_geo: 'us' }, 'inference_geo'],
    [
      messages,
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      'context_management.edits[0].type',
    ],
    [messages, { tools: [{ type: 'code_execution_20250825', name: 'c' }] }, 'tools[0].type'],
    [messages, { tools: [{ type: 'web_search_20260209', name: 's' }] }, 'tools[0].type'],
    [messages, { tools: [{ type: 'advisor_20260301', name: 'a' }] }, 'tools[0].type'],
    [
      messages,
      from({ type: 'image', source: { type: 'file', file_id: 'f' } }),
      'messages[0].content[0].source',
    ],
    [messages, from({ type: 'container_upload', file_id: 'f' }), 'messages[0].content[0].type'],
    [messages, { max_tokens: -1 }, 'max_tokens'],
    [
      messages,
      from({
        type: 'tool_addition',
        tool: { type: 'tool_definition', definition: { type: 'code_execution_20250825' } },
      }),
      'messages[0].content[0].tool.definition.type',
    ],
    [messages, { max_tokens: '100' }, 'max_tokens'],
    [messages, { model: 5 }, 'model'],
    [messages, { something_new: 1 }, 'something_new'],
    [chat, { service_tier: 'priority' }, 'service_tier'],
    [chat, { modalities: ['text', 'audio'] }, 'modalities[1]'],
    [chat, { audio: { voice: 'v' } }, 'audio'],
    [chat, { prediction: {} }, 'prediction'],
    [chat, { web_search_options: {} }, 'web_search_options'],
    [chat, { enable_search: true }, 'enable_search'],
    [chat, { store: true }, 'store'],
    [chat, { n: 0 }, 'n'],
    [chat, { model: 'gpt-4o-search-preview' }, 'model'],
    [chat, from({ type: 'input_audio', input_audio: {} }), 'messages[0].content[0]'],
    [chat, from({ type: 'file', file: { file_id: 'f' } }), 'messages[0].content[0].file.file_id'],
    [
      chat,
      from({ type: 'image_url', image_url: { url: 'data:application/pdf;base64,aa' } }),
      'messages[0].content[0].image_url',
    ],
    [responses, { background: true }, 'background'],
    [responses, { service_tier: 'priority' }, 'service_tier'],
    [responses, { previous_response_id: 'resp_1' }, 'previous_response_id'],
    [responses, { conversation: 'conv_1' }, 'conversation'],
    [responses, { prompt: { id: 'p' } }, 'prompt'],
    [responses, { store: true }, 'store'],
    [responses, { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, 'tools[0]'],
    [responses, { tools: [{ type: 'file_search', vector_store_ids: [] }] }, 'tools[0]'],
    [responses, { tools: [{ type: 'image_generation' }] }, 'tools[0]'],
    [responses, { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, 'tools[0]'],
    [responses, { tools: [{ type: 'mcp', connector_id: 'connector_gmail' }] }, 'tools[0].connector_id'],
    [responses, item({ type: 'item_reference', id: 'i' }), 'input[0]'],
    [
      responses,
      item({ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }),
      'input[0].content[0].file_id',
    ],
    [content, { cachedContent: 'cachedContents/1' }, 'cachedContent'],
    [content, { cached_content: 'cachedContents/1' }, 'cached_content'],
    [content, { tools: [{ googleSearch: {} }] }, 'tools[0].googleSearch'],
    [content, { tools: [{ urlContext: {} }] }, 'tools[0].urlContext'],
    [content, { tools: [{ codeExecution: {} }] }, 'tools[0].codeExecution'],
    [
      content,
      { generationConfig: { responseModalities: ['IMAGE'] } },
      'generationConfig.responseModalities[0]',
    ],
    [content, { generationConfig: { max_output_tokens: 1 } }, 'generationConfig.max_output_tokens'],
    [
      content,
      parts({ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a' } }),
      'contents[0].parts[0].fileData.fileUri',
    ],
    [content, JSON.parse('{"__proto__":{"cachedContent":"c"}}'), '__proto__'],
  ] as [Format, object, string][])
    assert.equal(refused(format, body, everything), field)
})

test('the provider is given the maximum that was reserved, in the words of each format', () => {
  assert.equal(sent(messages, {}).max_tokens, 100)
  assert.equal(sent(chat, {}).max_completion_tokens, 100)
  assert.deepEqual(
    [sent(chat, { max_tokens: 500 })].map((body) => [body.max_tokens, body.max_completion_tokens]),
    [[100, undefined]],
  )
  assert.equal(sent(responses, {}).max_output_tokens, 100)
  assert.deepEqual(sent(content, { generationConfig: { topK: 5 } }).generationConfig, {
    topK: 5,
    maxOutputTokens: 100,
  })
  const thought = ask(messages, { max_tokens: 32_000, thinking: { type: 'enabled', budget_tokens: 31_999 } })
  assert.equal(thought.least, 2_048)
  const { thinking, max_tokens } = JSON.parse(Buffer.concat(thought.body(4_096)).toString())
  assert.deepEqual([thinking.budget_tokens, max_tokens], [3_072, 4_096])
})

test('what else the provider is sent is what was asked for', () => {
  const body = {
    ...least.messages,
    system: 'be brief\n"quoted" ü',
    tools: [{ name: 'f', input_schema: { a: [1] } }],
  }
  assert.deepEqual(sent(messages, body), { ...body, max_tokens: 100 })
  assert.equal(sent(responses, {}).store, false)
  // With another model in place of the one that was asked for, the price would be another.
  assert.equal('fallbacks' in sent(messages, { fallbacks: [{ model: 'claude-fable-5' }] }), false)
  assert.equal(sent(chat, {}, [], true).service_tier, 'default')
  assert.equal(sent(chat, {}).service_tier, undefined)
  assert.equal(sent(chat, { service_tier: 'auto' }).service_tier, undefined)
  assert.equal(sent(messages, {}, [], true).service_tier, 'standard_only')
  assert.equal(sent(messages, {}).service_tier, undefined)
  const searching = [{ type: 'web_search_20250305', name: 's', max_uses: 50 }]
  assert.equal(sent(messages, { tools: searching }, ['web_search']).tools[0].max_uses, 5)
  assert.equal(sent(responses, { tools: [{ type: 'web_search' }] }, ['web_search']).max_tool_calls, 5)
})

test('the most that a call can cost follows from its bytes, and from what bytes do not tell', () => {
  const known = new KnownInput()
  const most = (format: Format, body: object, allowed?: ModelTool[]) =>
    ask(format, body, allowed).most(100, known)
  const text = 'x'.repeat(10_000)
  const plain = most(messages, { system: text })
  assert.ok(plain.input >= 10_000 && plain.input < 11_500)
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(3_000_000) },
  }
  const pictured = most(messages, from(image)).input
  assert.ok(pictured > 5_000 && pictured < 6_500, `${pictured}`)
  // What counts as a picture of a small model is not within what it can read at once.
  const url = `data:image/png;base64,${png}`
  const pictures = Array.from({ length: 20 }, () => ({ type: 'image_url', image_url: { url } }))
  const mini = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: pictures }] }
  assert.ok(most(chat, mini).input >= 20 * 48_169)
  // A page of a PDF may hold anything, up to what the model can read.
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: png } }
  assert.equal(most(messages, from(pdf)).input, 220_000)
  const file = { type: 'file', file: { file_data: `data:application/pdf;base64,${png}` } }
  assert.equal(refused(chat, from(file)), null)
  assert.equal(refused(chat, { ...from(file), model: 'gpt-4o-mini-2024-07-18' }), 'model')
  // What searches reads all of it again each time, and each search has a price.
  const searching = most(messages, { tools: [{ type: 'web_search_20250305' }] }, ['web_search'])
  assert.deepEqual([searching.input, searching.searches], [6 * 220_000, 5])
  assert.equal(most(chat, { n: 3 }).output, 300)
  assert.equal(most(content, { generationConfig: { candidateCount: 2 } }).output, 200)
  const usd = (body: object) =>
    mostPriceOf(
      { api: 'anthropic', models: ['claude-opus-4-5'] },
      { ...most(messages, body), input: 1_000_000, output: 0 },
    ).usd
  assert.equal(usd({}), 5)
  assert.equal(usd({ cache_control: { type: 'ephemeral' } }), 6.25)
  assert.equal(usd({ cache_control: { type: 'ephemeral', ttl: '1h' } }), 10)
  assert.equal(usd({ system: 'a text that says "ttl":"1h" and "cache_control":' }), 5)
})

test('a conversation that goes on is bounded by what its provider has counted, and only what is new by its bytes', () => {
  const known = new KnownInput()
  const turn = (role: string, text: string, mark = {}) => ({
    role,
    content: [{ type: 'text', text, ...mark }],
  })
  const marked = { cache_control: { type: 'ephemeral' } }
  const system = 'x'.repeat(100_000)
  const first = [turn('user', 'y'.repeat(50_000), marked)]
  const before = ask(messages, { system, messages: first })
  assert.ok(before.most(1, known).input > 150_000)
  known.learn(before.spine!, before.counted(40_000))
  const next = [turn('user', 'y'.repeat(50_000)), turn('assistant', 'z'.repeat(1_000), marked)]
  const bound = (body: object) => ask(messages, { system, messages: next, ...body }).most(1, known).input
  assert.ok(bound({}) > 41_000 && bound({}) < 42_000, `${bound({})}`)
  assert.ok(bound({ max_tokens: 5_000 }) < 42_000)
  // Any other beginning is another conversation.
  assert.ok(bound({ system: `${system}.` }) > 150_000)
  assert.ok(bound({ tools: [{ name: 'f' }] }) > 150_000)
  assert.ok(bound({ model: 'claude-opus-4-1' }) > 150_000)
  assert.ok(bound({ messages: [turn('user', 'y'.repeat(50_001)), ...next.slice(1)] }) > 150_000)
  // Where the provider forgets a part, what it counted says nothing.
  const edits = { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }
  assert.equal(ask(messages, { system, messages: next, ...edits }).spine, null)
  // A tool that waits to be named was not counted before, and may be now.
  const deferred = [{ name: 'f', description: 'd'.repeat(20_000), defer_loading: true }]
  const waiting = ask(messages, { system, messages: first, tools: deferred })
  known.learn(waiting.spine!, waiting.counted(40_000))
  assert.ok(bound({ tools: deferred }) > 60_000)
  // A new file among what is new has no bound but the model's own.
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: png } }
  assert.equal(bound({ messages: [...next, { role: 'user', content: [pdf] }] }), 220_000)
})

test('of headers and of the query only what is known is passed on', () => {
  const headers = {
    'anthropic-beta':
      'claude-code-20250219,interleaved-thinking-2025-05-14,context-1m-2025-08-07,fast-mode-2026-02-01,mcp-client-2025-11-20,files-api-2025-04-14',
    'openai-beta': 'responses=experimental, assistants=v2',
    'x-api-key': 'placeholder',
    authorization: 'Bearer placeholder',
    'x-goog-fieldmask': 'candidates',
    'user-agent': 'agent/1',
  }
  const passed = (allowed: ModelTool[]) => passedOn({ headers } as never, allowed)
  assert.deepEqual(passed([]), {
    'user-agent': 'agent/1',
    'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
    'openai-beta': 'responses=experimental',
  })
  assert.match(passed(['remote_mcp'])['anthropic-beta']!, /,mcp-client-2025-11-20$/)
  assert.equal(passedQuery('?alt=sse&key=placeholder&fields=candidates&beta=true'), '?alt=sse&beta=true')
})

test('a picture is never counted for less than its provider may bill, by the rules that providers publish', () => {
  // Anthropic: 28 by 28 pixels each, at most 2,576 on its longer side and 4,784 in all.
  const anthropic = (width: number, height: number) =>
    Math.min(4_784, Math.ceil(Math.min(width, 2_576) / 28) * Math.ceil(Math.min(height, 2_576) / 28))
  const openai = (width: number, height: number) => {
    const fit = Math.min(1, 2_048 / Math.max(width, height))
    const small = Math.min(1, 768 / (Math.min(width, height) * fit))
    const tiles = (side: number) => Math.ceil(Math.round(side * fit * small) / 512)
    return 2_833 + tiles(width) * tiles(height) * 5_667
  }
  const google = (width: number, height: number) => {
    const fit = Math.min(1, 3_072 / Math.max(width, height))
    const [w, h] = [Math.ceil(width * fit), Math.ceil(height * fit)]
    if (w <= 384 && h <= 384) return 258
    const side = Math.max(256, Math.min(768, Math.floor(Math.min(w, h) / 1.5)))
    return Math.ceil(w / side) * Math.ceil(h / side) * 258
  }
  const side = fc.oneof(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 1, max: 100_000 }))
  fc.assert(
    fc.property(side, side, (width, height) => {
      assert.ok(anthropic(width, height) <= mostPerImage.anthropic)
      assert.ok(openai(width, height) <= mostPerImage.openai)
      assert.ok(google(width, height) <= mostPerImage.google)
    }),
    { numRuns: 5_000 },
  )
  assert.deepEqual(mostPerImage, { anthropic: 5_000, openai: 49_000, google: 7_000 })
})

import { callId, type Format, listOf, propertiesOf, textOf } from './format.ts'
import { usage } from './script.ts'

/** Anthropic messages: cached tokens are counted beside the input. */
const counted = {
  input_tokens: usage.input - usage.cacheRead,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cacheRead,
  output_tokens: usage.output,
}

export const anthropic: Format = {
  path: /\/v1\/messages$/,

  read(body) {
    const prompts: { text: string; results: number }[] = []
    for (const { role, content } of listOf(body.messages)) {
      if (role !== 'user') continue
      const results = listOf(content).filter(({ type }) => type === 'tool_result').length
      const last = prompts.at(-1)
      if (results > 0 && last) last.results += results
      else prompts.push({ text: textOf(content), results: 0 })
    }
    return {
      model: String(body.model),
      isStreamed: body.stream === true,
      tools: listOf(body.tools)
        .filter(({ input_schema }) => input_schema)
        .map((tool) => ({ name: String(tool.name), properties: propertiesOf(tool.input_schema) })),
      prompts,
    }
  },

  answer(move, model) {
    const content =
      'say' in move
        ? { type: 'text', text: move.say }
        : { type: 'tool_use', id: callId(), name: move.call.name, input: move.input }
    return {
      ...message(model),
      content: [content],
      stop_reason: 'say' in move ? 'end_turn' : 'tool_use',
      usage: counted,
    }
  },

  stream(move, model) {
    const block =
      'say' in move
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: callId(), name: move.call.name, input: {} }
    const delta =
      'say' in move
        ? { type: 'text_delta', text: move.say }
        : { type: 'input_json_delta', partial_json: JSON.stringify(move.input) }
    return [
      {
        type: 'message_start',
        message: {
          ...message(model),
          content: [],
          stop_reason: null,
          usage: { ...counted, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'say' in move ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage: { output_tokens: usage.output },
      },
      { type: 'message_stop' },
    ].map((data) => ({ name: data.type, data }))
  },
}

const message = (model: string) => ({
  id: `msg_${callId()}`,
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
})

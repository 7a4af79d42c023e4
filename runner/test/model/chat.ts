import { callId, type Format, listOf, propertiesOf, textOf } from './format.ts'
import { type Answer, usage } from './script.ts'

const counted = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cacheRead },
}

/** OpenAI chat completions, as many others speak them too. */
export const chat: Format = {
  path: /\/v1\/chat\/completions$/,

  read(body) {
    const prompts: { text: string; results: number }[] = []
    for (const { role, content } of listOf(body.messages)) {
      if (role === 'user') prompts.push({ text: textOf(content), results: 0 })
      else if (role === 'tool' && prompts.length > 0) prompts.at(-1)!.results++
    }
    return {
      model: String(body.model),
      isStreamed: body.stream === true,
      tools: listOf(body.tools)
        .map((tool) => tool.function as { name: string; parameters: unknown })
        .map(({ name, parameters }) => ({ name, properties: propertiesOf(parameters) })),
      prompts,
    }
  },

  answer(move, model) {
    return {
      ...completion(model, 'chat.completion'),
      choices: [{ index: 0, message: messageOf(move), finish_reason: 'say' in move ? 'stop' : 'tool_calls' }],
      usage: counted,
    }
  },

  stream(move, model) {
    const { tool_calls: calls, ...message } = messageOf(move)
    const delta = calls
      ? { ...message, tool_calls: calls.map((call, index) => ({ index, ...call })) }
      : message
    const chunk = completion(model, 'chat.completion.chunk')
    return [
      { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: calls ? 'tool_calls' : 'stop' }] },
      { ...chunk, choices: [], usage: counted },
    ].map((data) => ({ data }))
  },

  ending: 'data: [DONE]\n\n',
}

function messageOf(move: Answer) {
  if ('say' in move) return { role: 'assistant', content: move.say }
  const { call, input } = move
  const tool = { name: call.name, arguments: JSON.stringify(input) }
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: callId(), type: 'function', function: tool }],
  }
}

const completion = (model: string, object: string) => ({
  id: `chatcmpl-${callId()}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model,
})

import { callId, type Format, listOf, propertiesOf, textOf } from './format.ts'
import { type Answer, type Tool, usage } from './script.ts'

/** OpenAI responses. */
export const responses: Format = {
  path: /\/v1\/responses$/,

  read(body) {
    const prompts: { text: string; results: number }[] = []
    const items =
      typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input)
    for (const { type, role, content } of items) {
      if (role === 'user') prompts.push({ text: textOf(content), results: 0 })
      else if (String(type).endsWith('_call_output') && prompts.length > 0) prompts.at(-1)!.results++
    }
    return {
      model: String(body.model),
      isStreamed: body.stream === true,
      tools: [
        ...listOf(body.tools),
        ...items.flatMap((item) => listOf('tools' in item ? item.tools : [])),
      ].flatMap((tool) => toolsOf(tool)),
      prompts,
    }
  },

  answer(move, model) {
    return { ...response(model), status: 'completed', output: [itemOf(move)], usage: counted }
  },

  stream(move, model) {
    const item = itemOf(move)
    const whole = { ...response(model), status: 'completed', output: [item], usage: counted }
    const text = 'say' in move ? move.say : ''
    const told = text
      ? [
          {
            type: 'response.content_part.added',
            item_id: item.id,
            output_index: 0,
            content_index: 0,
            part: { type: 'output_text', text: '', annotations: [] },
          },
          {
            type: 'response.output_text.delta',
            item_id: item.id,
            output_index: 0,
            content_index: 0,
            delta: text,
          },
          { type: 'response.output_text.done', item_id: item.id, output_index: 0, content_index: 0, text },
          {
            type: 'response.content_part.done',
            item_id: item.id,
            output_index: 0,
            content_index: 0,
            part: { type: 'output_text', text, annotations: [] },
          },
        ]
      : []
    return [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      ...told,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ].map((data, sequence_number) => ({ name: data.type, data: { ...data, sequence_number } }))
  },
}

const counted = {
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: usage.cacheRead },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.input + usage.output,
}

function toolsOf(tool: Record<string, unknown>, namespace?: string): Tool[] {
  const name = String(tool.name)
  if (tool.type === 'namespace') return listOf(tool.tools).flatMap((each) => toolsOf(each, name))
  if (tool.type === 'tool_search') return [{ name: 'tool_search', properties: {}, isSearch: true }]
  const of = namespace === undefined ? {} : { namespace }
  if (tool.type === 'custom') return [{ name, properties: null, ...of }]
  return tool.type === 'function' ? [{ name, properties: propertiesOf(tool.parameters), ...of }] : []
}

function itemOf(move: Answer): Record<string, unknown> {
  const id = callId()
  const done = { id: `item_${id}`, status: 'completed' }
  if ('say' in move) {
    const content = [{ type: 'output_text', text: move.say, annotations: [] }]
    return { ...done, type: 'message', role: 'assistant', content }
  }
  const { name, namespace } = move.call
  const call = { ...done, call_id: id, name, ...(namespace === undefined ? {} : { namespace }) }
  if (move.call.isSearch)
    return { ...done, type: 'tool_search_call', call_id: id, execution: 'client', arguments: move.input }
  return typeof move.input === 'string'
    ? { ...call, type: 'custom_tool_call', input: move.input }
    : { ...call, type: 'function_call', arguments: JSON.stringify(move.input) }
}

const response = (model: string) => ({
  id: `resp_${callId()}`,
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  model,
})

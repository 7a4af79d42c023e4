import { type Format, leastAnswer } from './format.ts'
import {
  any,
  byType,
  checkInlineFile,
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
  serverState,
  storedFile,
  textOr,
  unknownField,
  whole,
} from './inspect-request.ts'

const sound = never('audio is not allowed: it is priced separately.')
const extraPrice = never(
  'what it costs has no bound in the request, so it is not allowed. Turn it off in the agent.',
)
/** The others cost more, or answer asynchronously. */
const tier = one('default', 'auto', 'flex')

function picture(address: unknown, field: string, look: Look): void {
  const { data, mediaType } = checkInlineFile(address, field, look)
  look.image(data, mediaType, field)
}

const chatPart: Rule = byType({
  text: any,
  refusal: any,
  image_url: (part, field, look) => {
    const { image_url: image } = objectAt(part, field)
    const address = typeof image === 'string' ? image : objectAt(image, `${field}.image_url`).url
    picture(address, `${field}.image_url`, look)
  },
  file: (part, field, look) => {
    const { file } = objectAt(part, field)
    object({ file_data: any, filename: any, file_id: storedFile })(file, `${field}.file`, look)
    look.documents++
  },
  input_audio: sound,
})

const message = object({
  role: any,
  content: textOr(listOf(chatPart)),
  name: any,
  tool_calls: any,
  tool_call_id: any,
  function_call: any,
  refusal: any,
  annotations: any,
  cache_control: any,
  // How other providers of this format hand over what was thought before.
  reasoning: any,
  reasoning_content: any,
  reasoning_details: any,
  reasoning_opaque: any,
  reasoning_text: any,
  audio: sound,
})

const chatFields = object({
  model: any,
  messages: listOf(message),
  stream: any,
  stream_options: any,
  max_tokens: whole(1),
  max_completion_tokens: whole(1),
  n: whole(1),
  temperature: any,
  top_p: any,
  top_k: any,
  min_p: any,
  stop: any,
  seed: any,
  presence_penalty: any,
  frequency_penalty: any,
  repetition_penalty: any,
  logit_bias: any,
  logprobs: any,
  top_logprobs: any,
  response_format: any,
  tools: listOf(byType({ function: any, custom: any })),
  tool_choice: any,
  parallel_tool_calls: any,
  functions: any,
  function_call: any,
  user: any,
  safety_identifier: any,
  prompt_cache_key: any,
  prompt_cache_retention: any,
  reasoning_effort: any,
  reasoning: any,
  verbosity: any,
  enable_thinking: any,
  thinking_budget: any,
  metadata: any,
  modalities: listOf(one('text')),
  store: one(false),
  service_tier: tier,
  audio: sound,
  prediction: extraPrice,
  web_search_options: extraPrice,
})

/** An OpenAI project may have another tier as its default; elsewhere the field may be unknown. */
const usualTier = ({ service_tier: tier }: Json, isOfficial: boolean): Json => {
  if (isOfficial && tier !== 'flex') return { service_tier: 'default' }
  return tier === 'auto' ? { service_tier: undefined } : {}
}

const named = (body: Json, ...names: string[]) =>
  names.filter((name) => typeof body[name] === 'number') as [string, ...string[]] | []

export const chat: Format = {
  name: 'chat',
  api: 'openai',
  look: (body: Json, look: Look) => chatFields(body, '', look),
  turns: 'messages',

  most(body) {
    const names = named(body, 'max_completion_tokens', 'max_tokens')
    return names.length === 0 ? null : Math.min(...names.map((name) => body[name] as number))
  },

  answers: ({ n }) => (typeof n === 'number' ? n : 1),
  least: () => leastAnswer,

  withMost(body, most) {
    const names = named(body, 'max_completion_tokens', 'max_tokens')
    return Object.fromEntries(
      (names.length === 0 ? ['max_completion_tokens'] : names).map((name) => [name, most]),
    )
  },

  forgets: () => false,

  /** Its streams say what they used only when they are asked to. */
  settled: (body, { isOfficial }) => ({
    ...(body.stream ? { stream_options: { include_usage: true } } : {}),
    ...usualTier(body, isOfficial),
  }),
}

const part: Rule = byType({
  input_text: any,
  output_text: any,
  text: any,
  refusal: any,
  summary_text: any,
  reasoning_text: any,
  encrypted_content: any,
  input_image: (value, field, look) => {
    const { image_url: address, file_id: id } = objectAt(value, field)
    if (id !== undefined && id !== null) storedFile(id, `${field}.file_id`, look)
    picture(address, `${field}.image_url`, look)
  },
  input_file: (value, field, look) => {
    const { file_id: id, file_url: address } = objectAt(value, field)
    if (id !== undefined && id !== null) storedFile(id, `${field}.file_id`, look)
    if (address !== undefined && address !== null) checkInlineFile(address, `${field}.file_url`, look)
    look.documents++
  },
  input_audio: sound,
})

const parts =
  (name: string): Rule =>
  (item, field, look) => {
    const inner = objectAt(item, field)[name]
    if (inner !== undefined && inner !== null) textOr(listOf(part))(inner, `${field}.${name}`, look)
  }

const toolsIn: Rule = (item, field, look) => {
  const { tools } = objectAt(item, field)
  if (tools !== undefined && tools !== null) listOf(tool)(tools, `${field}.tools`, look)
}

/** Executed by the client, and described by the provider in words that are not in the bytes. */
const described: Rule = (_, __, look) => {
  look.describedTools++
}

const executed =
  (where: string, is: (tool: Json) => boolean): Rule =>
  (value, field, look) => {
    if (!is(objectAt(value, field)))
      throw new NotAllowed(field, `it runs at the provider. Only ${where} is allowed.`)
    look.describedTools++
  }

const tool: Rule = byType({
  function: (value, _, look) => look.deferred(value),
  custom: (value, _, look) => look.deferred(value),
  namespace: toolsIn,
  local_shell: described,
  apply_patch: described,
  shell: executed(
    'an environment of the type local',
    ({ environment }) => (environment as Json | undefined)?.type === 'local',
  ),
  tool_search: executed('execution by the client', ({ execution }) => execution === 'client'),
  web_search: (_, field, look) => {
    look.needs('web_search', field)
    look.serverTool(true)
    look.maySearch = true
  },
  mcp: (value, field, look) => {
    look.needs('remote_mcp', field)
    if (objectAt(value, field).connector_id)
      throw new NotAllowed(`${field}.connector_id`, 'connectors act in someone’s account. Use server_url.')
    look.serverTool(true)
  },
  code_interpreter: extraPrice,
  file_search: storedFile,
  image_generation: extraPrice,
})

const history =
  (of: 'web_search' | 'remote_mcp'): Rule =>
  (_, field, look) =>
    look.needs(of, field)

const item: Rule = byType(
  {
    message: parts('content'),
    agent_message: parts('content'),
    reasoning: any,
    function_call: any,
    function_call_output: parts('output'),
    custom_tool_call: any,
    custom_tool_call_output: parts('output'),
    local_shell_call: any,
    local_shell_call_output: any,
    shell_call: any,
    shell_call_output: any,
    apply_patch_call: any,
    apply_patch_call_output: any,
    tool_search_call: any,
    tool_search_output: toolsIn,
    additional_tools: toolsIn,
    compaction: any,
    web_search_call: history('web_search'),
    mcp_list_tools: history('remote_mcp'),
    mcp_call: history('remote_mcp'),
    mcp_approval_request: history('remote_mcp'),
    mcp_approval_response: history('remote_mcp'),
    item_reference: serverState,
  },
  parts('content'),
)

const responsesFields = object({
  model: any,
  input: textOr(listOf(item)),
  instructions: any,
  tools: listOf(tool),
  tool_choice: any,
  parallel_tool_calls: any,
  max_output_tokens: whole(1),
  max_tool_calls: any,
  temperature: any,
  top_p: any,
  top_logprobs: any,
  stream: any,
  stream_options: any,
  include: any,
  reasoning: object({ effort: any, summary: any, generate_summary: any, context: any }),
  text: any,
  metadata: any,
  client_metadata: any,
  user: any,
  safety_identifier: any,
  prompt_cache_key: any,
  prompt_cache_retention: any,
  truncation: any,
  store: one(false),
  background: one(false),
  service_tier: tier,
  previous_response_id: serverState,
  conversation: serverState,
  prompt: serverState,
  context_management: never(unknownField),
})

export const responses: Format = {
  name: 'responses',
  api: 'openai',
  look: (body: Json, look: Look) => responsesFields(body, '', look),
  turns: 'input',
  most: ({ max_output_tokens: most }) => (typeof most === 'number' ? most : null),
  answers: () => 1,
  least: () => leastAnswer,
  withMost: (_, most) => ({ max_output_tokens: most }),
  forgets: ({ truncation }) => truncation === 'auto',

  settled: (body, { isOfficial, look }) => ({
    // What it kept could be named in the next call, and be read there at a cost that its bytes do not tell.
    store: false,
    ...(look.toolUses > 0 ? { max_tool_calls: usesOf(body) } : {}),
    ...usualTier(body, isOfficial),
  }),
}

const usesOf = ({ max_tool_calls: most }: Json) =>
  Number.isSafeInteger(most) ? Math.min(Math.max(most as number, 1), mostToolUses) : mostToolUses

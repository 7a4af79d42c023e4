import { setTimeout as sleep } from 'node:timers/promises'
import type * as Sdk from '@modelcontextprotocol/server'

/**
 * The tools, resources and prompts that the conformance suite looks for, behind the product's own mount. What they say
 * is prescribed by the suite, word for word; nothing of it is part of the product.
 */
type Answer = Sdk.CallToolResult | Sdk.InputRequiredResult

interface Fixture {
  description: string
  properties?: NonNullable<Sdk.Tool['inputSchema']['properties']>
  /** The whole schema, where properties are not all of it. */
  schema?: Sdk.Tool['inputSchema']
  call(sdk: typeof Sdk, context: Sdk.ServerContext, given: Record<string, unknown>): Promise<Answer> | Answer
}

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='

const text = (words: string): Sdk.CallToolResult => ({ content: [{ type: 'text', text: words }] })
const image = { type: 'image', data: pixel, mimeType: 'image/png' } as const

/** A form of one field. */
const asks = (
  message: string,
  field: string,
  type: 'string' | 'boolean' = 'string',
): Sdk.ElicitRequestFormParams => ({
  message,
  requestedSchema: {
    type: 'object',
    properties: { [field]: type === 'string' ? { type } : { type } },
    required: [field],
  },
})

const greeting = (words: string, maxTokens: number) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: words } }],
  maxTokens,
})

const noOneAsked = 'The client has not said that it can be asked that.'

const capabilitiesOf = (sdk: typeof Sdk, { mcpReq }: Sdk.ServerContext): Sdk.ClientCapabilities =>
  (mcpReq.envelope as Record<string, Sdk.ClientCapabilities> | undefined)?.[
    sdk.CLIENT_CAPABILITIES_META_KEY
  ] ?? {}

/** What was accepted in a form, where it has the field. */
function accepted(sdk: typeof Sdk, { mcpReq }: Sdk.ServerContext, key: string, field: string): unknown {
  return sdk.acceptedContent(mcpReq.inputResponses, key)?.[field]
}

/** Asks for a form in the old way: by a request of the server's own, which a client without a stream cannot get. */
async function elicit({ mcpReq }: Sdk.ServerContext, form: Sdk.ElicitRequestFormParams) {
  return mcpReq.elicitInput(form)
}

const state = (sdk: typeof Sdk, key: Uint8Array) => sdk.createRequestStateCodec<string>({ key })

/** Of one process; state that another one has signed is refused. */
const key = crypto.getRandomValues(new Uint8Array(32))

const tools: Record<string, Fixture> = {
  test_simple_text: {
    description: 'Says a sentence.',
    call: () => text('This is a simple text response for testing.'),
  },
  test_image_content: { description: 'Shows a picture.', call: () => ({ content: [image] }) },
  test_audio_content: {
    description: 'Plays a sound.',
    call: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }),
  },
  test_embedded_resource: {
    description: 'Brings a resource along.',
    call: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    description: 'Brings several kinds of content.',
    call: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    }),
  },
  test_error_handling: {
    description: 'Fails.',
    call: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  },
  test_tool_with_logging: { description: 'Logs while it works.', call: logs },
  test_logging_tool: { description: 'Logs while it works, for those who want it.', call: logs },
  test_tool_with_progress: {
    description: 'Says how far it is.',
    async call(_, { mcpReq }) {
      const progressToken = mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100 },
          })
        await sleep(50)
      }
      return text('Done.')
    },
  },
  test_sampling: {
    description: 'Asks the model of the client.',
    properties: { prompt: { type: 'string' } },
    async call(_, { mcpReq }, { prompt }) {
      const { content } = await mcpReq.requestSampling(greeting(String(prompt), 100))
      return text(`LLM response: ${JSON.stringify(content)}`)
    },
  },
  test_elicitation: {
    description: 'Asks the person at the client.',
    properties: { message: { type: 'string' } },
    async call(_, context, { message }) {
      const { action, content } = await elicit(context, {
        message: String(message),
        requestedSchema: {
          type: 'object',
          properties: { username: { type: 'string' }, email: { type: 'string' } },
          required: ['username', 'email'],
        },
      })
      return text(`User response: action=${action}, content=${JSON.stringify(content)}`)
    },
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks with defaults.',
    async call(_, context) {
      const { action, content } = await elicit(context, {
        message: 'Please look at the defaults.',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
        },
      })
      return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
    },
  },
  test_elicitation_sep1330_enums: {
    description: 'Asks for one of several values, and for several of them.',
    async call(_, context) {
      const plain = ['option1', 'option2', 'option3']
      const titled = ['First', 'Second', 'Third'].map((word, at) => ({
        const: `value${at + 1}`,
        title: `${word} Option`,
      }))
      const { action, content } = await elicit(context, {
        message: 'Please choose.',
        requestedSchema: {
          type: 'object',
          properties: {
            untitledSingle: { type: 'string', enum: plain },
            titledSingle: { type: 'string', oneOf: titled },
            legacyEnum: {
              type: 'string',
              enum: ['opt1', 'opt2', 'opt3'],
              enumNames: ['Option One', 'Option Two', 'Option Three'],
            },
            untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
            titledMulti: { type: 'array', items: { anyOf: titled } },
          },
        },
      })
      return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
    },
  },
  test_missing_capability: {
    description: 'Needs a client with a model.',
    call(sdk, context) {
      if (!capabilitiesOf(sdk, context).sampling)
        throw new sdk.MissingRequiredClientCapabilityError(
          { requiredCapabilities: { sampling: {} } },
          noOneAsked,
        )
      return text('The client has a model.')
    },
  },
  test_streaming_elicitation: {
    description: 'Says how far it is, then asks.',
    async call(sdk, { mcpReq }) {
      const progressToken = mcpReq._meta?.progressToken ?? 'streaming'
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2 },
      })
      return sdk.inputRequired({
        inputRequests: { confirm: sdk.inputRequired.elicit(asks('Please confirm', 'ok', 'boolean')) },
      })
    },
  },
  test_input_required_result_elicitation: {
    description: 'Asks for a name.',
    call(sdk, context) {
      const name = accepted(sdk, context, 'user_name', 'name')
      if (typeof name === 'string') return text(`Hello, ${name}!`)
      return sdk.inputRequired({
        inputRequests: { user_name: sdk.inputRequired.elicit(asks('What is your name?', 'name')) },
      })
    },
  },
  test_input_required_result_sampling: {
    description: 'Asks the model of the client, in the new way.',
    call(sdk, { mcpReq }) {
      const heard = sdk.inputResponse(mcpReq.inputResponses, 'capital_question')
      if (heard.kind === 'sampling') return text(JSON.stringify(heard.result.content))
      const question = greeting('What is the capital of France?', 100)
      return sdk.inputRequired({
        inputRequests: { capital_question: sdk.inputRequired.createMessage(question) },
      })
    },
  },
  test_input_required_result_list_roots: {
    description: 'Asks for the folders of the client.',
    call(sdk, { mcpReq }) {
      const heard = sdk.inputResponse(mcpReq.inputResponses, 'client_roots')
      if (heard.kind === 'roots') return text(`Roots: ${heard.roots.map(({ uri }) => uri).join(', ')}`)
      return sdk.inputRequired({ inputRequests: { client_roots: sdk.inputRequired.listRoots() } })
    },
  },
  test_input_required_result_request_state: {
    description: 'Asks to confirm, and knows again what it asked.',
    call: (sdk, context) => confirmed(sdk, context, 'state-ok'),
  },
  test_input_required_result_tampered_state: {
    description: 'Refuses state that it has not signed.',
    call: (sdk, context) => confirmed(sdk, context, 'The state is ours.'),
  },
  test_input_required_result_multiple_inputs: {
    description: 'Asks for three things at once.',
    async call(sdk, context) {
      const { mcpReq } = context
      const [model, roots] = ['greeting', 'client_roots'].map((name) =>
        sdk.inputResponse(mcpReq.inputResponses, name),
      )
      const name = accepted(sdk, context, 'user_name', 'name')
      if (name !== undefined && model!.kind === 'sampling' && roots!.kind === 'roots')
        return text(`Hello, ${name}, with ${roots!.roots.length} roots.`)
      return sdk.inputRequired({
        inputRequests: {
          user_name: sdk.inputRequired.elicit(asks('What is your name?', 'name')),
          greeting: sdk.inputRequired.createMessage(greeting('Generate a greeting', 50)),
          client_roots: sdk.inputRequired.listRoots(),
        },
        requestState: await state(sdk, key).mint('all three'),
      })
    },
  },
  test_input_required_result_multi_round: {
    description: 'Asks twice, one after the other.',
    async call(sdk, context) {
      const round = context.mcpReq.requestState<string>()
      const color = accepted(sdk, context, 'step2', 'color')
      if (round?.startsWith('named ') && typeof color === 'string')
        return text(`${round.slice('named '.length)} likes ${color}.`)
      const name = accepted(sdk, context, 'step1', 'name')
      const isNamed = round === 'begun' && typeof name === 'string'
      return sdk.inputRequired({
        inputRequests: isNamed
          ? { step2: sdk.inputRequired.elicit(asks('Step 2: What is your favorite color?', 'color')) }
          : { step1: sdk.inputRequired.elicit(asks('Step 1: What is your name?', 'name')) },
        requestState: await state(sdk, key).mint(isNamed ? `named ${name}` : 'begun'),
      })
    },
  },
  test_input_required_result_capabilities: {
    description: 'Asks only what the client can do.',
    call(sdk, context) {
      const { sampling, elicitation } = capabilitiesOf(sdk, context)
      const inputRequests = {
        ...(sampling ? { greeting: sdk.inputRequired.createMessage(greeting('Say hello', 50)) } : {}),
        ...(elicitation ? { user_name: sdk.inputRequired.elicit(asks('What is your name?', 'name')) } : {}),
      }
      return Object.keys(inputRequests).length > 0 ? sdk.inputRequired({ inputRequests }) : text(noOneAsked)
    },
  },
  json_schema_2020_12_tool: {
    description: 'Tool with JSON Schema 2020-12 features',
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    call: () => text('Taken.'),
  },
}

async function logs(_: typeof Sdk, { mcpReq }: Sdk.ServerContext): Promise<Answer> {
  for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', line)
    await sleep(50)
  }
  return text('Done.')
}

async function confirmed(sdk: typeof Sdk, context: Sdk.ServerContext, words: string): Promise<Answer> {
  const isKnown = context.mcpReq.requestState<string>() === words
  if (isKnown && accepted(sdk, context, 'confirm', 'ok') === true) return text(words)
  return sdk.inputRequired({
    inputRequests: { confirm: sdk.inputRequired.elicit(asks('Please confirm', 'ok', 'boolean')) },
    requestState: await state(sdk, key).mint(words),
  })
}

const prompts: Record<string, { description: string; arguments: string[] }> = {
  test_simple_prompt: { description: 'A sentence.', arguments: [] },
  test_prompt_with_arguments: { description: 'A sentence with two words.', arguments: ['arg1', 'arg2'] },
  test_prompt_with_embedded_resource: { description: 'A resource.', arguments: ['resourceUri'] },
  test_prompt_with_image: { description: 'A picture.', arguments: [] },
  test_input_required_result_prompt: { description: 'Asks before it says anything.', arguments: [] },
}

function promptMessages(name: string, given: Record<string, string>): Sdk.PromptMessage[] {
  const says = (words: string) => ({ role: 'user' as const, content: { type: 'text' as const, text: words } })
  if (name === 'test_prompt_with_image')
    return [{ role: 'user', content: image }, says('Please analyze the image above.')]
  if (name === 'test_prompt_with_arguments')
    return [says(`Prompt with arguments: arg1='${given.arg1}', arg2='${given.arg2}'`)]
  if (name === 'test_simple_prompt') return [says('This is a simple prompt for testing.')]
  const resource = {
    uri: given.resourceUri ?? '',
    mimeType: 'text/plain',
    text: 'Embedded resource content for testing.',
  }
  return [
    { role: 'user', content: { type: 'resource', resource } },
    says('Please process the embedded resource above.'),
  ]
}

const resources: Record<string, { mimeType: string; text: string } | { mimeType: string; blob: string }> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: pixel },
  'test://watched-resource': { mimeType: 'text/plain', text: 'It never changes.' },
}

function resourceAt(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) return resources[uri]
  return {
    mimeType: 'application/json',
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }
}

const cached = { ttlMs: 60_000, cacheScope: 'private' } as const

/** The server for one request, as the product makes its own. */
export function fixtureServer(sdk: typeof Sdk): Sdk.Server {
  const server = new sdk.Server(
    { name: 'signalbox-fixtures', version: '1.0.0' },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        logging: {},
      },
      cacheHints: {
        'tools/list': cached,
        'prompts/list': cached,
        'resources/list': cached,
        'resources/templates/list': cached,
        'resources/read': cached,
        'server/discover': cached,
      },
      requestState: { verify: (given, context) => state(sdk, key).verify(given, context) },
    },
  )
  const unknown = (what: string) => new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `No ${what}.`)
  server.setRequestHandler('tools/list', () => ({
    tools: Object.entries(tools).map(([name, { description, properties = {}, schema }]) => ({
      name,
      description,
      inputSchema: schema ?? { type: 'object', properties, required: Object.keys(properties) },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const fixture = tools[params.name]
    if (!fixture) throw unknown(`tool ${params.name}`)
    return fixture.call(sdk, context, params.arguments ?? {})
  })
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({
      uri,
      name: uri.slice('test://'.length),
      description: 'A resource of the suite.',
      mimeType,
    })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        description: 'A resource of the suite.',
        mimeType: 'application/json',
      },
    ],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = resourceAt(uri)
    if (!found) throw new sdk.ResourceNotFoundError(uri)
    return { contents: [{ uri, ...found }] }
  })
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { description, arguments: all }]) => ({
      name,
      description,
      arguments: all.map((one) => ({ name: one, description: 'A word.', required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }, context) => {
    if (!(name in prompts)) throw unknown(`prompt ${name}`)
    if (name !== 'test_input_required_result_prompt') return { messages: promptMessages(name, given) }
    const said = accepted(sdk, context, 'user_context', 'context')
    const form = asks('What context should the prompt use?', 'context')
    if (typeof said !== 'string')
      return sdk.inputRequired({ inputRequests: { user_context: sdk.inputRequired.elicit(form) } })
    return { messages: [{ role: 'user', content: { type: 'text', text: said } }] }
  })
  server.setRequestHandler('completion/complete', ({ params: { argument } }) => ({
    completion: { values: ['paris', 'park', 'party'].filter((word) => word.startsWith(argument.value)) },
  }))
  return server
}

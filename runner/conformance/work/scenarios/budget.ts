import { type Attempt, attempts, type WorkScenario } from '../attempt.ts'
import { allReported, both, notAtProvider, reportedOnce, withinBudget } from '../caught.ts'

type Run = WorkScenario['runs'][number]

const anthropic = (more = '', most = 1_000) =>
  `{"model":"claude-sonnet-4-5","max_tokens":${most},"messages":[{"role":"user","content":"kit NUMBER"}]${more}}`
const chat = (more = '', most = 1_000) =>
  `{"model":"gpt-5","max_completion_tokens":${most},"messages":[{"role":"user","content":"kit NUMBER"}]${more}}`
const responses = (more = '', most = 1_000) =>
  `{"model":"gpt-5","max_output_tokens":${most},"input":"kit NUMBER"${more}}`
const google = (more = '', most = 1_000) =>
  `{"contents":[{"role":"user","parts":[{"text":"kit NUMBER"}]}],"generationConfig":{"maxOutputTokens":${most}}${more}}`
const googlePath = '/v1beta/models/gemini-2.5-flash:generateContent'
const googleStream = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse'
const version = '"anthropic-version: 2023-06-01"'

const call = (how: string, times: number, path: string, body: string, ...headers: string[]) =>
  `perl .kit/call.pl "$model" ${how} ${times} '${path}' '${body}' ${headers.join(' ')}`

/** An order of its own for each, so that each has a budget of its own. */
const spending = (attempt: Pick<Attempt, 'name' | 'run' | 'caught'>, usdMicros: number): Run => ({
  attempts: attempts({ proves: 'No more than the budget reaches the provider, and all of it is told' }, [
    attempt,
  ]),
  order: { usdMicros },
  ends: ['change_ready', 'failed'],
})

const capped = both(withinBudget, allReported)

/** Each call is about 0.015 by list price, so a dime is six or seven of them. */
const cap = (name: string, run: string, usdMicros = 100_000): Run =>
  spending({ name, run, caught: capped }, usdMicros)

/** Server-side tools and other ways to have the provider reach elsewhere, or charge what no one counts. */
const unknown = (name: string, words: string, run: string): Attempt =>
  attempts(
    { proves: 'The provider is asked for nothing but words, so that “network only to the gateway” is true' },
    [{ name, run, caught: notAtProvider(words) }],
  )[0]!

const tools: Attempt[] = [
  unknown(
    'have the provider connect to a server of tools',
    'mcp_servers',
    call(
      'wait',
      1,
      '/v1/messages',
      anthropic(',"mcp_servers":[{"type":"url","url":"https://example.net","name":"x"}]'),
      version,
      '"anthropic-beta: mcp-client-2025-04-04"',
    ),
  ),
  unknown(
    'have the provider fetch a page',
    'web_fetch',
    call(
      'wait',
      1,
      '/v1/messages',
      anthropic(',"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]'),
      version,
    ),
  ),
  unknown(
    'have the provider search the web',
    'web_search_2025',
    call(
      'wait',
      1,
      '/v1/messages',
      anthropic(',"tools":[{"type":"web_search_20250305","name":"web_search"}]'),
      version,
    ),
  ),
  unknown(
    'have the provider execute code',
    'code_execution',
    call(
      'wait',
      1,
      '/v1/messages',
      anthropic(',"tools":[{"type":"code_execution_20250825","name":"code_execution"}]'),
      version,
    ),
  ),
  unknown(
    'have the provider use a container',
    '"container"',
    call('wait', 1, '/v1/messages', anthropic(',"container":"c1"'), version),
  ),
  unknown(
    'have the provider fetch a picture',
    'picture.example',
    '' +
      call(
        'wait',
        1,
        '/v1/messages',
        '{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://picture.example/x.png"}}]}]}',
        version,
      ),
  ),
  unknown(
    'have another provider search the web',
    'web_search_preview',
    call('wait', 1, '/v1/responses', responses(',"tools":[{"type":"web_search_preview"}]')),
  ),
  unknown(
    'have another provider connect to tools',
    'connector_id',
    call(
      'wait',
      1,
      '/v1/responses',
      responses(',"tools":[{"type":"mcp","server_label":"x","connector_id":"connector_gmail"}]'),
    ),
  ),
  unknown(
    'have another provider execute code',
    'code_interpreter',
    call(
      'wait',
      1,
      '/v1/responses',
      responses(',"tools":[{"type":"code_interpreter","container":{"type":"auto"}}]'),
    ),
  ),
  unknown(
    'have another provider fetch a picture',
    'other-picture.example',
    call(
      'wait',
      1,
      '/v1/chat/completions',
      '{"model":"gpt-5","max_completion_tokens":100,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://other-picture.example/x.png"}}]}]}',
    ),
  ),
  unknown(
    'have another provider fetch a file',
    'file.example',
    call(
      'wait',
      1,
      '/v1/responses',
      '{"model":"gpt-5","max_output_tokens":100,"input":[{"role":"user","content":[{"type":"input_file","file_url":"https://file.example/x.pdf"}]}]}',
    ),
  ),
  unknown(
    'have a third provider search the web',
    'google_search',
    call('wait', 1, googlePath, google(',"tools":[{"google_search":{}}]')),
  ),
  unknown(
    'have a third provider fetch a page',
    'url_context',
    call('wait', 1, googlePath, google(',"tools":[{"url_context":{}}]')),
  ),
  unknown(
    'have a third provider fetch a file',
    'fileUri',
    call(
      'wait',
      1,
      googlePath,
      '{"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"https://file.example/y.pdf"}}]}],"generationConfig":{"maxOutputTokens":100}}',
    ),
  ),
  unknown(
    'have the answer made later',
    '"background"',
    call('wait', 1, '/v1/responses', responses(',"background":true')),
  ),
  unknown(
    'have it charged at another rate',
    'service_tier',
    `${call('wait', 1, '/v1/responses', responses(',"service_tier":"priority"'))}; ${call('wait', 1, '/v1/chat/completions', chat(',"service_tier":"priority"'))}`,
  ),
  unknown(
    'have it done in a batch',
    'batches',
    `${call('wait', 1, '/v1/messages/batches', '{"requests":[]}', version)}; ${call('wait', 1, '/v1/batches', '{"input_file_id":"f"}')}`,
  ),
  unknown(
    'call what has no price',
    'images/generations',
    `${call('wait', 1, '/v1/images/generations', '{"prompt":"x"}')}; ${call('wait', 1, '/v1/audio/speech', '{"input":"images/generations"}')}`,
  ),
  unknown('keep files at the provider', 'v1/files', call('wait', 1, '/v1/files', '{"purpose":"user_data"}')),
  unknown(
    'call by a way around the path',
    'organizations',
    `${call('wait', 1, '/v1/messages/../organizations', '{}')}; ${call('wait', 1, '/v1/messages%2f..%2forganizations', '{}')}; ${call('wait', 1, '/v1/messages?x=/organizations', '{"organizations":1}')}`,
  ),
  unknown(
    'say a key of its own',
    'sk-of-the-agent',
    call(
      'wait',
      1,
      '/v1/messages?key=sk-of-the-agent',
      anthropic('', 10),
      version,
      '"x-api-key: sk-of-the-agent"',
      '"authorization: Bearer sk-of-the-agent"',
    ),
  ),
]

export const budgetScenarios: WorkScenario[] = [
  {
    name: 'What the provider bills is what is reported, once',
    category: 'budget',
    isQuick: true,
    runs: [
      spending(
        {
          name: 'have calls counted twice, or not at all',
          run: `${call('wait', 2, '/v1/messages', anthropic(), version)}; ${call('wait', 1, '/v1/messages', anthropic(',"stream":true'), version)}; ${call('wait', 1, '/v1/chat/completions', chat(',"stream":true'))}; ${call('wait', 1, '/v1/responses', responses())}; ${call('wait', 1, googlePath, google())}`,
          caught: both(reportedOnce, withinBudget),
        },
        1_000_000,
      ),
    ],
  },
  {
    name: 'A budget is a cap, whatever is asked for at once',
    category: 'budget',
    runs: [
      cap('forty calls at once', call('wait', 40, '/v1/messages', anthropic(), version)),
      cap('forty streams at once', call('wait', 40, '/v1/messages', anthropic(',"stream":true'), version)),
      cap(
        'calls of three providers at once',
        `(${call('wait', 20, '/v1/messages', anthropic(), version)}) & (${call('wait', 20, '/v1/chat/completions', chat())}) & (${call('wait', 20, googlePath, google('', 5_000))}) & wait`,
      ),
      cap(
        'one call that is dearer than the budget',
        call('wait', 1, '/v1/messages', anthropic('', 50_000), version),
      ),
      cap('many answers to one call', call('wait', 1, '/v1/chat/completions', chat(',"n":100', 2_000))),
      cap(
        'many candidates of one call',
        call(
          'wait',
          1,
          googlePath,
          `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"maxOutputTokens":20000,"candidateCount":8}}`,
        ),
      ),
      cap(
        'one limit above another',
        call('wait', 2, '/v1/chat/completions', chat(',"max_tokens":10', 50_000)),
      ),
      cap(
        'a limit that is said twice',
        call('wait', 2, '/v1/messages', anthropic(',"max_tokens":50000', 10), version),
      ),
      cap(
        'a limit that is a text',
        call('wait', 2, '/v1/messages', anthropic().replace('1000', '"50000"'), version),
      ),
      cap(
        'calls after the money is used up',
        `for i in 1 2 3; do ${call('wait', 8, '/v1/messages', anthropic(), version)}; done`,
      ),
    ],
  },
  {
    name: 'A caller that closes the connection pays',
    category: 'budget',
    runs: [
      cap(
        'hang up before the answer',
        call('before', 12, '/v1/messages', anthropic().replace('kit NUMBER', 'kit: slowly NUMBER'), version),
      ),
      cap(
        'hang up in the middle of a stream',
        call('word', 12, '/v1/messages', anthropic(',"stream":true'), version),
      ),
      cap(
        'hang up after the last word',
        call('last', 12, '/v1/messages', anthropic(',"stream":true'), version),
      ),
      cap(
        'hang up after the last word of another provider',
        call('last', 12, '/v1/chat/completions', chat(',"stream":true')),
      ),
      cap('hang up after the last word of a third', call('last', 12, googleStream, google('', 4_000))),
      cap('hang up on a response', call('last', 12, '/v1/responses', responses(',"stream":true'))),
      cap(
        'hang up, again and again',
        `for i in 1 2 3; do ${call('before', 6, '/v1/messages', anthropic(',"stream":true').replace('kit NUMBER', 'kit: slowly NUMBER'), version)}; done`,
      ),
    ],
  },
  {
    name: 'The provider is asked for words and nothing else',
    category: 'budget',
    runs: [{ attempts: tools, ends: ['change_ready', 'failed'] }],
  },
]

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import type { Format } from './format.ts'
import { google } from './google.ts'
import { responses } from './responses.ts'
import { nextMove, type Scripts, usage } from './script.ts'

/** A language model without one: it plays scripts, in the four formats that coding agents speak. */
export interface Model extends AsyncDisposable {
  readonly url: string
  /** What was asked of it, in order. */
  readonly calls: ModelCall[]
}

export interface ModelCall {
  path: string
  tools: string[]
  /** What was said to it so far, oldest first: more than one where a session is gone on with. */
  prompts: string[]
  status: number
  /** What it counts for its answer; null: nothing. */
  used: typeof usage | null
}

const formats: Format[] = [anthropic, chat, responses, google]

export async function startModel(scripts: Scripts): Promise<Model> {
  const calls: ModelCall[] = []
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://model')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const format = formats.find(({ path }) => path.test(pathname))
    calls.push(
      format && request.method === 'POST'
        ? play(format, pathname, chunks, response)
        : aside(pathname, response),
    )
  })

  function play(format: Format, path: string, chunks: Buffer[], response: ServerResponse): ModelCall {
    const read = format.read(JSON.parse(Buffer.concat(chunks).toString()), path)
    const asked = {
      path,
      tools: read.tools.map(({ name }) => name),
      prompts: read.prompts.map(({ text }) => text),
    }
    const move = nextMove(scripts, read)
    if ('refuse' in move) {
      respond(response, 402, {
        error: { code: 402, type: 'budget_exhausted', message: 'The budget of this run is used up.' },
      })
      return { ...asked, status: 402, used: null }
    }
    if (!read.isStreamed) respond(response, 200, format.answer(move, read.model))
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const { name, data } of format.stream(move, read.model))
        response.write(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
      response.end(format.ending)
    }
    return { ...asked, status: 200, used: usage }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What agents ask beside the work: which models there are, how many tokens a text has. */
function aside(path: string, response: ServerResponse): ModelCall {
  const known = /count_?tokens$/i.test(path)
    ? { totalTokens: 10, input_tokens: 10 }
    : /\/models$/.test(path)
      ? { object: 'list', data: [], models: [] }
      : null
  respond(
    response,
    known ? 200 : 404,
    known ?? { error: { code: 404, message: 'Not known to the scripted model.' } },
  )
  return { path, tools: [], prompts: [], status: known ? 200 : 404, used: null }
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropic } from '../../runner/test/model/anthropic.ts'
import { chat } from '../../runner/test/model/chat.ts'
import type { Format } from '../../runner/test/model/format.ts'
import { google } from '../../runner/test/model/google.ts'
import { responses } from '../../runner/test/model/responses.ts'
import type { Answer, ModelRequest } from '../../runner/test/model/script.ts'

/** What the model wants next, from all that it was told so far. Tools go by the names that our server gives them. */
export type Step = (told: string) => { tool: string; input: Record<string, unknown> } | { say: string }

const formats: Format[] = [anthropic, chat, responses, google]

/**
 * In place of a language model: plays steps for any client, in the format that it speaks. Unlike the runner's own, it
 * reads what its tools returned, so that a step can go on from it.
 */
export async function startModel(word: string, steps: Step[]) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://model')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const format = formats.find(({ path }) => path.test(pathname))
    if (!format || request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ object: 'list', data: [], models: [], totalTokens: 10, input_tokens: 10 }),
      )
      return
    }
    const told = Buffer.concat(chunks).toString()
    const asked = format.read(JSON.parse(told), pathname)
    const move = moveOf(word, steps, asked, told)
    if (!asked.isStreamed) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(format.answer(move, asked.model)))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const { name, data } of format.stream(move, asked.model))
      response.write(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
    response.end(format.ending)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Nothing is remembered: how far it is shows in the request. */
function moveOf(word: string, steps: Step[], { tools, prompts }: ModelRequest, told: string): Answer {
  const at = prompts.findLastIndex(({ text }) => text.includes(word))
  // A title or a summary, in passing.
  if (tools.length === 0 || at < 0) return { say: 'A scripted answer.' }
  const done = prompts.slice(at).reduce((sum, { results }) => sum + results, 0)
  const step = steps[done]?.(told) ?? { say: 'That is all.' }
  if ('say' in step) return step
  const call = tools.find(({ name }) => name.endsWith(step.tool))
  if (call) return { call, input: step.input }
  const search = tools.find(({ isSearch }) => isSearch)
  if (search) return { call: search, input: { query: step.tool, limit: 5 } }
  return { say: `There is no tool ${step.tool}.` }
}

#!/usr/bin/env node
/**
 * Offers `request_human_input` to the agent, inside its box: MCP over standard input and output, one JSON text a line.
 * It only leaves the question in the result folder, which the agent could do as well; the runner takes it from there.
 */
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'

const folder = process.argv[2]

const tool = {
  name: 'request_human_input',
  description:
    'Asks the people behind this story a question that you cannot answer from the story and the repository. Use it only when you cannot go on without the answer. A person answers later: end your turn right after the call.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'One question, in plain words' },
      context: { type: 'string', description: 'What a person has to know to answer it' },
      options: {
        type: 'array',
        description: 'Two to four answers to choose from',
        minItems: 2,
        maxItems: 4,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'Lower-case letters, digits and _, such as keep_both' },
            label: { type: 'string', description: 'The answer, in a few words' },
          },
          required: ['id', 'label'],
        },
      },
      recommendation: { type: 'string', description: 'The id of the option you would take' },
    },
    required: ['question', 'context', 'options', 'recommendation'],
  },
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion ?? '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'signalbox', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ name, arguments: question }) =>
    name === tool.name ? ask(question) : said('No such tool.', true),
}

function ask(question) {
  const wrong = whatIsWrong(question ?? {})
  if (wrong) return said(wrong, true)
  const file = path.join(folder, 'question.json')
  writeFileSync(`${file}.part`, JSON.stringify(question))
  renameSync(`${file}.part`, file)
  return said('Your question has been passed on. A person answers it later. End your turn now.')
}

function whatIsWrong({ question, context, options, recommendation }) {
  if (typeof question !== 'string' || question === '' || typeof context !== 'string')
    return 'question and context have to be text.'
  if (!Array.isArray(options) || options.length < 2 || options.length > 4)
    return 'options has to be a list of two to four answers.'
  if (
    !options.every(
      ({ id, label }) => /^[a-z][a-z0-9_]{0,39}$/.test(id) && typeof label === 'string' && label !== '',
    )
  )
    return 'Each option needs an id of lower-case letters, digits and _ that begins with a letter, and a label.'
  return options.some(({ id }) => id === recommendation)
    ? ''
    : 'recommendation has to be the id of one of the options.'
}

const said = (text, isError = false) => ({ content: [{ type: 'text', text }], isError })

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = parsed(line)
  if (id === undefined || id === null) return
  const answer = answers[method]
  const outcome = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: `${method} is not known here` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`)
})

function parsed(line) {
  try {
    return JSON.parse(line) ?? {}
  } catch {
    return {}
  }
}

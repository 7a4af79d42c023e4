#!/usr/bin/env node
/**
 * Plays one turn of a script inside the box. It gets `{script, task, out, model}` on its standard input and prints our
 * own events, one JSON text a line. Whatever the box forbids fails here as it would for any agent.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const { script, task, out, model } = JSON.parse(readFileSync(0, 'utf8'))
const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
const end = (ended) => tell({ type: 'end', end: ended })

/** `{halden/api}` is where that repository is, when the work is in several. */
const repositories = Object.entries(JSON.parse(process.env.SIGNALBOX_REPOSITORIES ?? '{}'))
const named = (text) =>
  repositories.reduce(
    (said, [name, folder]) => said.replaceAll(`{${name}}`, folder),
    text.replaceAll('{story}', task.story).replaceAll('{run}', task.run),
  )

const verbs = {
  say: ({ say }) => tell({ type: 'said', text: named(say) }),
  think: ({ think }) => tell({ type: 'thought', text: named(think) }),
  wait: ({ wait: seconds }) => wait(seconds * 1_000),
  write: (step) => tool('write', named(step.write), () => put(named(step.write), contentOf(step))),
  result: (step) =>
    tool('write', `results: ${step.result}`, () => put(path.join(out, named(step.result)), contentOf(step))),
  replace: (step) =>
    tool('edit', named(step.replace), () => replace(named(step.replace), step.find, step.with)),
  delete: (step) => tool('delete', named(step.delete), () => rmSync(named(step.delete), { recursive: true })),
  run: (step) => tool('shell', named(step.run), () => shell(named(step.run))),
  cost: ({ cost }) => tell({ type: 'usage', usage: { currency: 'USD', ...cost } }),
  call: ({ call }) => tool('model', call, () => callModel(call)),
  ask: (step) => ask(step.ask),
}

let tools = 0
async function tool(name, input, act) {
  const id = `step-${++tools}`
  tell({ type: 'tool_began', id, name, input })
  try {
    tell({ type: 'tool_ended', id, ok: true, output: (await act()) ?? '' })
  } catch (error) {
    tell({ type: 'tool_ended', id, ok: false, output: error.message })
  }
}

const contentOf = ({ text, json }) =>
  json === undefined ? named(text) : `${named(JSON.stringify(json, null, 2))}\n`

function put(file, text) {
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
  writeFileSync(file, text)
}

function replace(file, find, text) {
  const before = readFileSync(file, 'utf8')
  if (!before.includes(find)) throw new Error(`${file} does not contain ${JSON.stringify(find)}`)
  writeFileSync(
    file,
    before.replace(find, () => text),
  )
}

async function shell(line) {
  const child = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`exit code ${code}\n${output}`)
  return output
}

/** One call of the model through the gateway, so that a script can show that it is counted, and that it ends. */
async function callModel(prompt) {
  const response = await fetch(`${model.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model: model.name ?? 'claude-sonnet-4-5',
      max_tokens: 200,
      messages: [{ role: 'user', content: named(prompt) }],
    }),
  })
  if (response.status === 402) {
    end({ ended: 'limit', error: 'The budget of this run is used up.' })
    process.exit(1)
  }
  return await response.text()
}

function ask(question) {
  const file = path.join(out, 'question.json')
  writeFileSync(`${file}.part`, named(JSON.stringify(question)))
  renameSync(`${file}.part`, file)
}

/** The play of this story, or of any; of this purpose; of this round, or the last there is. */
function stepsOf({ stories }) {
  const plays = (stories[task.story] ?? stories['*'])?.[task.purpose]
  return plays?.[Math.min(task.round, plays.length - 1)] ?? null
}

function load() {
  try {
    return script ?? JSON.parse(readFileSync('.kanman/scripted.json', 'utf8'))
  } catch (error) {
    throw new Error(`There is no script: ${error.message}`)
  }
}

try {
  const steps = stepsOf(load())
  if (!steps) throw new Error(`The script has nothing for ${task.story}, ${task.purpose}.`)
  let last = { ended: 'normally' }
  for (const step of steps) {
    if ('fail' in step) {
      last = { ended: 'failed', error: named(step.fail), transient: step.transient ?? false }
      break
    }
    const verb = Object.keys(verbs).find((name) => name in step)
    if (!verb) throw new Error(`No step begins with ${Object.keys(step).join(', ')}.`)
    await verbs[verb](step)
    if (verb === 'ask') break
  }
  end(last)
} catch (error) {
  end({ ended: 'failed', error: error.message, transient: false })
}

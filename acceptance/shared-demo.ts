import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { calm, environment, repository, scriptOf, unlimited } from './command.ts'

/**
 * The demo of those files of a test run that only look. It is started for the first that asks, belongs to the process
 * that runs the tests, and ends with it. A file that is run without that process starts its own.
 */

const variable = 'SIGNALBOX_TEST_DEMO'

interface SharedDemo {
  /** Its data folder. */
  data: string
  /** The line that it printed. */
  printed: string
}

/** The one of the run that this file is part of; undefined when it is run alone. */
export async function askForDemo(): Promise<SharedDemo | undefined> {
  const address = process.env[variable]
  if (!address) return undefined
  const response = await fetch(address)
  const text = await response.text()
  assert.equal(response.status, 200, `the demo of this test run: ${text}`)
  return JSON.parse(text)
}

/** Offers it to the files that this process is about to start, until it is ended. */
export async function offerDemo(): Promise<{ end: () => Promise<void> }> {
  const steps: (() => Promise<unknown>)[] = []
  let demo: Promise<SharedDemo> | undefined
  const server = createServer(async (_, response) => {
    demo ??= start((step) => steps.push(step))
    const [status, said] = await demo.then(
      (served) => [200, JSON.stringify(served)] as const,
      (error: unknown) => [500, String(error)] as const,
    )
    response.writeHead(status).end(said)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env[variable] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    async end() {
      server.close()
      server.closeAllConnections()
      await demo?.catch(() => {})
      for (const step of steps.reverse()) await step()
    },
  }
}

/** What is to be undone is undone in turn, the last first. */
async function start(undo: (step: () => Promise<unknown>) => void): Promise<SharedDemo> {
  const data = await realpath(await mkdtemp(path.join(tmpdir(), 'signalbox-shared-')))
  undo(() => rm(data, { recursive: true, force: true }))
  const args = [...scriptOf('demo'), '--json', '--no-runner', '--port', '0', '--data', data]
  const server = spawn(process.execPath, args, {
    cwd: repository,
    env: environment({ ...unlimited, ...calm }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: Ctrl-C on the tests reaches it once, through them.
    detached: true,
  })
  const ended = once(server, 'exit')
  const end = () => void server.kill('SIGTERM')
  process.once('exit', end)
  undo(async () => {
    end()
    await ended
  })
  let [printed, said] = ['', '']
  server.stderr.on('data', (chunk) => {
    said += chunk
  })
  const line = new Promise<void>((resolve) =>
    server.stdout.on('data', (chunk) => {
      printed += chunk
      if (printed.includes('\n')) resolve()
    }),
  )
  await Promise.race([line, ended])
  assert.ok(printed.includes('\n'), `the demo ended instead of serving: ${said}`)
  return { data, printed }
}

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { calm, environment, repository, scriptOf, unlimited } from '../command.ts'
import { type Offers, sharedVariable } from '../shared.ts'

/** Undone in turn, the last first. */
type Undo = (step: () => Promise<unknown>) => void

const start: { [Name in keyof Offers]: (undo: Undo) => Promise<Offers[Name]> } = {
  async browser(undo) {
    // Most runs of one file need none.
    const { findBrowser, serveBrowser } = await import('./launch-browser.ts')
    const found = await findBrowser()
    if (!found) return null
    const browser = await serveBrowser(found)
    undo(() => browser.kill())
    return browser.wsEndpoint()
  },

  async demo(undo) {
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
  },
}

/** Offers it to the files that this process is about to start, until it is ended. */
export async function offerShared(): Promise<{ end: () => Promise<void> }> {
  const steps: (() => Promise<unknown>)[] = []
  const begun = new Map<string, Promise<unknown>>()
  const server = createServer(async (request, response) => {
    try {
      const name = request.url!.slice(1) as keyof Offers
      if (!begun.has(name))
        begun.set(
          name,
          start[name]((step) => steps.push(step)),
        )
      response.end(JSON.stringify(await begun.get(name)))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env[sharedVariable] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    async end() {
      server.close()
      server.closeAllConnections()
      await Promise.allSettled(begun.values())
      for (const step of steps.reverse()) await step()
    },
  }
}

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { gitIn, makeRepository } from '../../server/test/doubles/git-repository.ts'
import { afterwards, temporaryFolder, until } from '../demo.ts'
import { type Server, startServer } from '../server.ts'
import {
  accessibilityFaults,
  assertQuiet,
  keepPicture,
  openTab,
  openWindow,
  type Tab,
  withoutBrowser,
} from './browser.ts'

/**
 * The first hour of someone who has just started an empty server. `npm run first-hour` takes the pictures of
 * docs/first-hour.md; otherwise none are taken.
 */

const pictures = process.env.FIRST_HOUR
const mostClicks = 12

test('the practice run reaches its merge in under 12 clicks, without a key, an agent or a terminal, and can be removed', {
  skip: withoutBrowser,
}, async (t) => {
  const server = await startServer()
  const tab = await openTab(await openWindow())
  const visit = new Visit(tab)
  await setUp(visit, server)
  await tab.getByRole('button', { name: 'Try it with a practice project' }).waitFor()
  await visit.picture('1-start')
  await visit.click(tab.getByRole('button', { name: 'Try it with a practice project' }))
  await tab.waitForURL('**/acme/practice')
  await tab.getByText('Scripted agent', { exact: true }).waitFor()

  await tab.getByRole('radio', { name: /Approve the plan/ }).waitFor()
  await visit.picture('2-plan')
  assert.deepEqual(await accessibilityFaults(tab), [])
  // The bar with its button stays within the card.
  const card = (await tab.locator('li[aria-current=step]').boundingBox())!
  const bar = (await tab.locator('form button[type=submit]').locator('xpath=../../..').boundingBox())!
  assert.ok(bar.x >= card.x && bar.x + bar.width <= card.x + card.width, JSON.stringify({ bar, card }))
  // Under the pointer a toast stays; that something is waiting is not said of what was answered.
  const told = tab.getByRole('dialog').filter({ hasText: /Approve the plan.*waiting for your answer/s })
  await told.hover()
  await visit.answer(/Approve the plan/, { byPointer: false })
  await told.waitFor({ state: 'detached' })
  // The last line that was printed is in sight.
  const log = tab.locator('pre')
  await log.getByText(/no language model/).waitFor()
  const [frame, lines] = [(await log.boundingBox())!, (await log.locator('span').boundingBox())!]
  assert.ok(lines.y + lines.height <= frame.y + frame.height, JSON.stringify({ frame, lines }))
  await tab.getByRole('radio', { name: /^Merge/ }).waitFor()
  await visit.picture('3-merge')
  await visit.answer(/^Merge/)
  await tab.getByRole('button', { name: 'Send the alert' }).waitFor()
  const merged = { clicks: visit.clicks, seconds: visit.seconds() }
  assert.ok(merged.clicks < mostClicks, `${merged.clicks} clicks to the merge`)

  await visit.click(tab.getByRole('button', { name: 'Send the alert' }))
  await tab
    .getByRole('radio', { name: /revert/i })
    .first()
    .waitFor()
  await visit.picture('4-revert')
  await visit.answer(/revert/i)
  await tab.getByRole('heading', { name: 'Now your own' }).waitFor()
  await visit.picture('5-done')
  assert.deepEqual(await accessibilityFaults(tab), [])
  t.diagnostic(
    `merged after ${merged.clicks} clicks and ${merged.seconds} s; reverted after ${visit.clicks} clicks and ${visit.seconds()} s`,
  )

  await tab.getByRole('button', { name: 'Remove practice project' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await tab.waitForURL('**/acme/start')
  await tab.getByRole('button', { name: 'Try it with a practice project' }).waitFor()
  for (const step of ['Create a team', 'Add a runner', 'See the first run', 'Receive alerts'])
    await tab.getByText(`${step}, not done yet`).waitFor()
  assertQuiet(tab, /401|403/)
})

const mostToMerge = 40
const mostToIncident = 12

test('an own repository, the built-in tracker and a runner with an own program reach a merge in under 40 clicks, and an acknowledged incident in 12 more', {
  skip: withoutBrowser,
}, async (t) => {
  const own = await ownMachine()
  const server = await startServer()
  const window = await openWindow()
  await window.grantPermissions(['clipboard-read', 'clipboard-write'])
  const tab = await openTab(window)
  const visit = new Visit(tab)
  const button = (name: string | RegExp) => tab.getByRole('button', { name }).first()
  const link = (name: string | RegExp) => tab.getByRole('link', { name }).first()
  await setUp(visit, server)

  // A team, and its code: a folder that the server may not read yet, and the line that allows it.
  await visit.click(link('Create team'))
  await tab.getByLabel('Name', { exact: true }).fill('Labels')
  await visit.click(button('Create team'))
  await tab.waitForURL('**/teams/labels/board')
  await visit.nextStep('Create a team', 'Add repository')
  await tab.getByLabel('Repository name').fill('labels')
  await tab.getByLabel('Folder', { exact: true }).fill(own.repository)
  await visit.click(button('Save repository'))
  const refused = tab.getByRole('alert').filter({ hasText: 'GIT_ALLOW' })
  await refused.waitFor()
  await visit.picture('6-allow')
  const [setting, allowed] = (await refused.locator('code').textContent())!.split('=')
  await server.restart({ [setting!]: allowed! })
  await visit.click(button('Save repository'))
  await tab.getByText('Repository saved').waitFor()

  // A runner: what is shown is pasted into a terminal as it is.
  await visit.nextStep('Add a repository', 'Add runner')
  await visit.click(button('Add runner'))
  await tab.getByLabel('Your own agent program').fill(own.program)
  await visit.click(button('Create runner token'))
  await visit.click(button('Copy command'))
  own.paste((await tab.evaluate('navigator.clipboard.readText()')) as string)
  const connection = tab.getByRole('region', { name: 'Connection' })
  await connection.getByText(/Custom command.*done/).waitFor()
  await connection.getByText(/Can read labels/).waitFor()
  assert.match(own.heard(), /signalbox-runner\.mjs: OK/)
  await visit.picture('7-runner')
  assert.deepEqual(await accessibilityFaults(tab), [])

  // The policy names another agent, as it begins; the dialog says so and leads there.
  await visit.click(connection.getByRole('link', { name: 'Choose another coding agent' }))
  visit.clicks += 1
  await tab.getByLabel('Coding agent', { exact: true }).selectOption({ label: 'Custom command' })
  await visit.click(button('Review and save'))
  await visit.click(tab.getByRole('dialog').getByRole('button', { name: 'Save policy' }))

  // What is needed, in one's own words.
  await visit.nextStep('Add a runner', 'Write a story')
  await tab.getByLabel('What do you need?').fill(need)
  await visit.click(button('Submit'))
  // It says what is still missing.
  await tab.getByText('a size', { exact: true }).waitFor()
  await visit.click(button(/^Edit/))
  visit.clicks += 1
  await tab.getByLabel('Size', { exact: true }).selectOption({ label: 'S' })
  await visit.click(button(/^Save/))
  await visit.picture('8-draft')
  await visit.click(button(/^Approve/))
  await visit.click(button('Create 1 story'))

  await visit.click(link('Inbox'))
  await tab
    .getByRole('radio', { name: /Approve/ })
    .first()
    .waitFor()
  await visit.picture('9-plan')
  await visit.answer(/Approve/)
  await tab
    .getByRole('radio', { name: /^Merge/ })
    .first()
    .waitFor()
  await visit.picture('10-merge')
  await visit.answer(/^Merge/)
  await until('the change is on main', () =>
    own.git.git('log', '-1', '--format=%s', 'main').startsWith('Merge'),
  )
  const merged = { clicks: visit.clicks, seconds: visit.seconds() }
  assert.match(own.git.git('show', 'main:src/label.js'), /toFixed\(1\)/)
  assert.ok(merged.clicks < mostToMerge, `${merged.clicks} clicks to the merge`)

  // Alerts: a service, a source, and an incident that is marked as a test.
  await visit.nextStep('See the first run', 'Add service')
  await visit.click(button('New service'))
  await tab.getByRole('dialog').getByLabel('Name', { exact: true }).fill('label-printer')
  await visit.click(tab.getByRole('dialog').getByRole('button', { name: 'Create service' }))
  await visit.click(link('Add source'))
  await visit.click(link(/^Your own scripts/))
  await visit.click(button('Add source'))
  await visit.click(button('Open test incident'))
  await visit.click(link('Incidents'))
  await visit.click(button(/^Acknowledge/))
  await tab.getByText(/You acknowledged/).waitFor()
  await visit.picture('11-incident')
  const after = visit.clicks - merged.clicks
  assert.ok(after <= mostToIncident, `${after} more clicks to the incident`)
  t.diagnostic(
    `merged after ${merged.clicks} clicks and ${merged.seconds} s; acknowledged after ${after} more`,
  )
  assertQuiet(tab, /40[0134]|ERR_CONNECTION_REFUSED|Failed to load/)
})

const need = `Print the weight on the label

Drivers weigh parcels again because the label does not say what they weigh. Print the weight in kilograms with one digit, on a line of its own, at the end.

Acceptance criteria
- A label of a parcel with 2,400 g ends with the line "2.4 kg".
- A label without a weight looks as it did before.

Demonstrate

\`\`\`sh
node src/print.js --grams 2400
\`\`\`
`

/** The machine of the person: a bare repository, a program that works on it, and a terminal. */
async function ownMachine() {
  const folder = await temporaryFolder()
  // Started by root, the runner works as another user.
  await chmod(folder, 0o755)
  const files = path.resolve(import.meta.dirname, '../../demo/halden-parcels/labels/repository')
  const repository = await makeRepository(path.join(folder, 'git'), 'labels', {
    ...{ files, message: 'Labels as plain text' },
  })
  const program = path.join(folder, 'agent', 'run.mjs')
  await mkdir(path.dirname(program))
  await cp(path.join(import.meta.dirname, 'own-agent.mjs'), program)
  await chmod(program, 0o755)
  let heard = ''
  return {
    repository,
    git: gitIn(repository),
    program: `node ${program}`,
    heard: () => heard,
    paste(command: string) {
      const shell = spawn('bash', ['-c', command], {
        cwd: folder,
        env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
        // Its own group: the runner goes with the shell.
        detached: true,
      })
      for (const stream of [shell.stdout, shell.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          heard += text
        })
      afterwards(async () => {
        if (shell.exitCode !== null || shell.signalCode !== null) return
        const ended = once(shell, 'exit')
        // To the group: the shell alone would leave the runner behind.
        process.kill(-shell.pid!, 'SIGTERM')
        await ended
      })
    },
  }
}

async function setUp(visit: Visit, { url, setupCode }: Server): Promise<void> {
  const { tab } = visit
  await tab.goto(`${url}/setup?code=${setupCode}`)
  await tab.getByLabel('Your name').fill('Ada Example')
  await tab.getByLabel('Email').fill('ada@example.com')
  await tab.getByLabel('Password', { exact: true }).fill('a password of some length')
  await tab.getByLabel('Workspace', { exact: true }).fill('Acme')
  await visit.click(tab.getByRole('button', { name: 'Set up' }))
  await tab.waitForURL('**/acme/start')
}

/** Counts what a person does with the pointer, and takes pictures where they are asked for. */
class Visit {
  readonly tab: Tab
  readonly #began = performance.now()
  clicks = 0

  constructor(tab: Tab) {
    this.tab = tab
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1
    await target.click()
  }

  /** Back to the checklist, which has the last step ticked, and on to what it leads to. */
  async nextStep(done: string, next: string): Promise<void> {
    await this.click(this.tab.getByRole('link', { name: 'Get started' }).first())
    await this.tab.getByText(`${done}, done`, { exact: true }).waitFor()
    await this.click(this.tab.getByRole('link', { name: next, exact: true }))
  }

  async answer(option: RegExp, { byPointer = true } = {}): Promise<void> {
    const choice = this.tab.getByRole('radio', { name: option }).first()
    const send = this.tab.locator('form button[type=submit]')
    for (const target of [choice, send]) {
      if (byPointer) await this.click(target)
      else {
        this.clicks += 1
        await target.dispatchEvent('click')
      }
    }
  }

  seconds(): number {
    return Math.round((performance.now() - this.#began) / 1000)
  }

  async picture(name: string): Promise<void> {
    if (pictures) await keepPicture(this.tab, path.join(pictures, `first-hour-${name}.webp`))
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { appendLog } from '../server/domain/work/runs/log/append.ts'
import { type Figure, median } from './figures.ts'
import type { Site } from './site.ts'

const linesASecond = 2_000
const chunksASecond = 10
const seconds = 8
const turns = 20

/** A run that prints without pause, on the open page of its log: whether one can still read in it. */
export async function logFigure(site: Site, page: Page, address: (run: string) => string): Promise<Figure> {
  const [run] = await site.addWaiting(1)
  // Past the domain, as it was made: only that it is at work matters here.
  const { rows } = await site.database.pool.query<{ fence: number }>(
    `with working as (
      update runs set phase = 'working' where id = $1 returning workspace_id, id, fence, attempts
    )
    insert into work_orders (workspace_id, run_id, fence, attempt, stage, state, offered_at, lease_until)
    select workspace_id, id, fence, attempts, 'implementing', 'offered', now(), now() + interval '1 hour'
    from working
    returning fence`,
    [run!.runId],
  )
  const order = { workspaceId: site.owner.workspaceId, runId: run!.runId, fence: rows[0]!.fence }
  await page.goto(address(run!.run))
  await appendLog(site.owner, order, { number: 1, lines: ['Begun.'] })
  await page.getByText('Begun.').waitFor()
  await page.evaluate(`
    window.frameTimes = []
    let last = performance.now()
    requestAnimationFrame(function next(now) {
      window.frameTimes.push(now - last)
      last = now
      requestAnimationFrame(next)
    })
  `)
  const [printed, scrolled] = await Promise.all([print(site, order), scroll(page)])
  const lastLine = `line ${linesASecond * seconds}`
  const begun = performance.now()
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await page.getByText(lastLine).first().waitFor()
  const toEnd = performance.now() - begun
  const frames = (await page.evaluate('window.frameTimes')) as number[]
  const slow = frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)]!
  return {
    what: `A log at ${Math.round(printed).toLocaleString('en')} lines a second: from a turn of the wheel to the frame that shows it`,
    ours: `${median(scrolled).toFixed(0)} ms; frames every ${median(frames).toFixed(0)} ms, 95 of 100 within ${slow.toFixed(0)} ms; back to its end in ${toEnd.toFixed(0)} ms`,
    target: 'under 100 ms',
    met: median(scrolled) < 100,
  }
}

/** Prints at that pace, and says at which it could. */
async function print(site: Site, order: Parameters<typeof appendLog>[1]): Promise<number> {
  const begun = performance.now()
  const each = linesASecond / chunksASecond
  for (let chunk = 0; chunk < seconds * chunksASecond; chunk += 1) {
    const lines = Array.from(
      { length: each },
      (_, index) =>
        `\u001b[32m✓\u001b[0m line ${chunk * each + index + 1} of what an agent prints while it works`,
    )
    await appendLog(site.owner, order, { number: chunk + 2, lines })
    const ahead = (chunk + 1) * (1_000 / chunksASecond) - (performance.now() - begun)
    if (ahead > 0) await sleep(ahead)
  }
  return (linesASecond * seconds * 1_000) / (performance.now() - begun)
}

/** Turns the wheel up and down again and again, and takes the time until the page has moved. */
async function scroll(page: Page): Promise<number[]> {
  await page.evaluate(`
    window.turns = []
    const region = window.region = document.querySelector('[aria-label="Log lines"]')
    let turned = 0
    region.addEventListener('wheel', ({ timeStamp }) => { turned = timeStamp }, { passive: true })
    // The page may hear of the wheel after it has moved, so the time is that of the event itself.
    region.addEventListener('scroll', () => {
      if (!turned) return
      const from = turned
      turned = 0
      requestAnimationFrame(() => window.turns.push(performance.now() - from))
    })
  `)
  await page.getByRole('region', { name: 'Log lines' }).hover()
  // Far from its beginning, where the wheel would move nothing.
  while (((await page.evaluate('window.region.scrollTop')) as number) < 20_000) await sleep(50)
  for (let turn = 0; turn < turns; turn += 1) {
    await page.mouse.wheel(0, turn % 2 === 0 ? -300 : 200)
    await sleep((seconds * 1_000) / turns / 1.5)
  }
  return page.evaluate('window.turns') as Promise<number[]>
}

import type { Page } from 'playwright-core'
import type { Figure } from './figures.ts'
import type { Site } from './site.ts'

const stories = 5_000
const team = 'bench-0'
const mostElements = 3_000

/** A board with very many stories, read to the end of each column: how much of it the browser has to hold. */
export async function boardFigure(
  site: Site,
  page: Page,
  address: (team: string) => string,
): Promise<Figure> {
  await fill(site)
  await page.goto(address(team))
  await page.locator('[data-card]:visible').first().waitFor()
  const first = await held(page)
  await page.evaluate(readToTheEnd)
  const whole = await held(page)
  const told = ({ elements, megabytes }: Held) =>
    `${elements.toLocaleString('en')} elements, ${megabytes.toFixed(0)} MB`
  return {
    what: `Board of ${stories.toLocaleString('en')} stories in a browser: elements of the page and heap of its scripts, at first and once every column was read to its end`,
    ours: `${told(first)}; ${told(whole)}`,
    target: `under ${mostElements.toLocaleString('en')} elements`,
    met: whole.elements < mostElements,
  }
}

/** Past the domain: only their number matters. Every column gets as many. */
async function fill(site: Site): Promise<void> {
  await site.database.pool.query(
    `insert into stories (id, workspace_id, team_id, key, title, description, column_id, readiness_score, size,
      created_at, updated_at)
    select gen_random_uuid(), t.workspace_id, t.id, 'BOARD-' || n, 'A story with a title of some length, number ' || n,
      '', c.id, 70, 'm', now() - n * interval '1 minute', now() - n * interval '1 minute'
    from generate_series(1, $2::int) as n
    join teams t on t.workspace_id = $1 and t.slug = $3
    join columns c on c.workspace_id = t.workspace_id and c.team_id = t.id and c.position = (
      select position from columns where team_id = t.id order by position offset n % 6 limit 1
    )`,
    [site.owner.workspaceId, stories, team],
  )
}

interface Held {
  elements: number
  megabytes: number
}

async function held(page: Page): Promise<Held> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  const elements = (await page.evaluate(`document.querySelectorAll('*').length`)) as number
  return { elements, megabytes: usedSize / 1_000_000 }
}

/** As a wheel does it: on until no column has become longer. */
const readToTheEnd = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)))
  const columns = [...document.querySelectorAll('[data-column] > div')]
  for (let still = 0; still < 10; ) {
    let moved = false
    for (const column of columns) {
      const before = column.scrollTop
      column.scrollTop += 600
      moved ||= column.scrollTop > before
    }
    still = moved ? 0 : still + 1
    await frame()
  }
})()`

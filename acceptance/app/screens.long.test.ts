import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { before, describe, test } from 'node:test'
import type { Decision } from '../../contract/decision.ts'
import type { Run, RunListed } from '../../contract/run.ts'
import { calm, type Serving, startDemo, until } from '../demo.ts'
import {
  accessibilityFaults,
  assertQuiet,
  follow,
  heightAt,
  keepPicture,
  openTab,
  openWindow,
  readDownload,
  screen,
  settled,
  signedInTab,
  signIn,
  type Tab,
  withoutBrowser,
} from './browser.ts'

/**
 * Every screen, in both themes, on a phone and on a desk: axe finds nothing, nothing scrolls sideways, the console is
 * quiet; every title is as large as the others and begins at the same edge. With SCREENS set to a folder (`npm run screens`), pictures are kept there.
 */
const phone = 360
const desk = 1280
/** How a screen is looked at: loaded on a phone, then given the room of a desk. Two of the four are pictured. */
const looks: { width: number; theme: 'light' | 'dark'; isPictured: boolean }[] = [
  { width: phone, theme: 'dark', isPictured: true },
  { width: phone, theme: 'light', isPictured: false },
  { width: desk, theme: 'light', isPictured: true },
  { width: desk, theme: 'dark', isPictured: false },
]
/** Axe is most of what this costs: it takes turns among the looks; with pictures, it looks at all of them. */
const pictures = process.env.SCREENS

/** Screens within the workspace, by the name of their picture. A few rows of a list show what many would. */
const work: Record<string, string> = {
  inbox: 'inbox',
  'inbox-resolved': 'inbox?status=resolved',
  decision: 'decisions/:decision',
  'decision-resolved': 'decisions/:resolved',
  'decision-changes': 'decisions/:guard',
  requirements: 'intake',
  'requirement-new': 'intake/new',
  requirement: 'intake/:requirement',
  teams: 'teams',
  'team-new': 'teams/new',
  board: 'teams/checkout-web/board',
  list: 'teams/checkout-web/list?size=m',
  policy: 'teams/checkout-web/settings/policy',
  'team-settings': 'teams/checkout-web/settings/general',
  story: 'stories/:story',
  runs: 'runs?team=data-platform',
  run: 'runs/:run',
  'run-logs': 'runs/:run?tab=logs',
  'run-changes': 'runs/:run?tab=changes',
  'run-diff': 'runs/:changed?tab=changes',
  'run-evidence': 'runs/:run?tab=evidence',
  'run-decisions': 'runs/:run?tab=decisions',
  'run-cost': 'runs/:run?tab=cost',
  'run-failed': 'runs/:failed',
}

/** The others within it. */
const operations: Record<string, string> = {
  report: 'report',
  insights: 'insights',
  scoreboard: 'insights/scoreboard',
  incidents: 'incidents',
  incident: 'incidents/:incident',
  services: 'services?team=data-platform',
  service: 'services/:service',
  'service-settings': 'services/:service?tab=settings',
  'service-sources': 'services/:service?tab=sources',
  'service-alerts': 'services/:service?tab=alerts',
  'source-new': 'services/:service/sources/new',
  'source-new-form': 'services/:service/sources/new?kind=grafana',
  source: 'services/:service/sources/:source',
  audit: 'audit?event=policy_changed',
  'settings-general': 'settings/general',
  'settings-members': 'settings/members',
  'settings-single-sign-on': 'settings/single-sign-on',
  'settings-runners': 'settings/runners',
  'settings-api': 'settings/api',
  'settings-connect': 'settings/api/connect',
  'settings-webhooks': 'settings/webhooks',
  'settings-webhook-new': 'settings/webhooks/new',
  'settings-connections': 'settings/connections',
  'connection-new': 'settings/connections/new',
  'connection-new-form': 'settings/connections/new?kind=github',
  'settings-system': 'settings/system',
  start: 'start',
  missing: 'nothing-here',
}

/** Screens outside of it. */
const outside: Record<string, string> = {
  reset: '/login/reset',
  'reset-token': '/login/reset?token=nothing',
  invite: '/invite/nothing',
  setup: '/setup',
  account: '/account',
  'account-security': '/account?tab=security',
  'account-notifications': '/account?tab=notifications',
  'account-preferences': '/account?tab=preferences',
  'account-sessions': '/account?tab=sessions',
  'workspace-new': '/new',
  device: '/device?user_code=ABCD-EFGH',
}

/** What opens over a screen: the button to press, which may be behind More on a phone, or the key. */
const opened: Record<string, { button: string | RegExp; inMore?: true } | { key: string }> = {
  'menu-account': { button: /^Inês Carvalho/, inMore: true },
  'menu-workspace': { button: /^Halden Parcels/, inMore: true },
  notifications: { button: /^Notifications/, inMore: true },
  palette: { button: /^Search or go to/, inMore: true },
  help: { key: '?' },
  dialog: { button: 'Create token' },
}

/** One screen after another in one tab, and two tabs at the same time; a test each, so that none is long. */
describe('every screen', { skip: withoutBrowser, concurrency: 2 }, () => {
  let demo: Serving
  let known: Map<string, string>

  before(async () => {
    // One of its own: what comes up in an older one could lie over a screen.
    demo = await startDemo({ env: calm })
    if (pictures) await mkdir(pictures, { recursive: true })
    known = await knownThings(demo)
  })

  const filled = (address: string) =>
    address.replaceAll(/:[a-z]+/g, (one) => known.get(one) ?? assert.fail(`what is ${one}?`))

  test('nothing moves on a phone while a screen is on its way', async () => {
    const tab = await signedInTab(demo, 'owner', { width: phone })
    await tab.addInitScript(`
      window.moved = []
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput, sources } of list.getEntries())
          if (!hadRecentInput) moved.push({ value, what: sources.map(({ node }) => node?.outerHTML?.slice(0, 120)) })
      }).observe({ type: 'layout-shift', buffered: true })
    `)
    const faults: string[] = []
    // A finger needs 44 pixels.
    const session = await tab.context().newCDPSession(tab)
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true })
    for (const name of [
      ...['inbox', 'board', 'story', 'run', 'insights', 'incidents', 'incident', 'audit'],
      ...[
        'settings-runners',
        'settings-general',
        'service',
        'policy',
        'scoreboard',
        'runs',
        'settings-system',
      ],
    ]) {
      await tab.goto(screen(demo, filled({ ...work, ...operations }[name]!)))
      await settled(tab)
      const small = (await tab.evaluate(smallTargets)) as string[]
      faults.push(...small.map((target) => `${name}: too small for a finger: ${target}`))
      const cut = (await tab.evaluate(cutOff)) as string[]
      faults.push(...cut.map((what) => `${name}: not in sight: ${what}`))
      const moved = (await tab.evaluate('moved')) as { value: number; what: string[] }[]
      const sum = moved.reduce((before, { value }) => before + value, 0)
      if (sum > 0.02) faults.push(`${name}: ${sum.toFixed(3)}, ${JSON.stringify(moved)}`)
    }
    assert.deepEqual(faults, [])
    await tab.context().close()
  })

  test('on a large screen every page begins at one edge, and no tab of a run is wider than another', async () => {
    const tab = await signedInTab(demo, 'owner', { width: 1800 })
    const edges = new Map<string, unknown>()
    for (const name of [
      'inbox',
      'board',
      'run',
      'run-logs',
      'run-evidence',
      'audit',
      'incident',
      'settings-runners',
    ]) {
      const url = screen(demo, filled({ ...work, ...operations }[name]!))
      await (edges.size === 0 ? tab.goto(url) : follow(tab, url))
      await settled(tab)
      const [edge] = (await tab.evaluate(titleEdge)) as number[]
      edges.set(name, edge)
      if (name.startsWith('run'))
        edges.set(
          `${name}, its tabs`,
          await tab.evaluate(`document.querySelector('[aria-label="Run sections"]').offsetWidth`),
        )
    }
    const [edge, tabs] = [edges.get('inbox'), edges.get('run, its tabs')]
    for (const [name, found] of edges) assert.equal(found, name.includes(',') ? tabs : edge, name)

    // Where a high contrast is asked for, backgrounds go: what says something by its colour alone must still be seen.
    const faults: string[] = []
    for (const name of [
      ...['run', 'insights', 'scoreboard', 'service', 'incident', 'inbox', 'policy', 'settings-general'],
    ]) {
      await tab.emulateMedia({ forcedColors: 'none' })
      await follow(tab, screen(demo, filled({ ...work, ...operations }[name]!)))
      await settled(tab)
      await tab.evaluate(markColoured)
      await tab.emulateMedia({ forcedColors: 'active' })
      faults.push(...((await tab.evaluate(vanished)) as string[]).map((what) => `${name}: ${what}`))
    }
    assert.deepEqual(faults, [])
    await tab.context().close()
  })

  test('a scoreboard is sorted by keyboard, says by what, and its file has the same rows', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'insights/scoreboard'))
    const title = tab.getByRole('columnheader', { name: 'Cost per merged story' })
    const names = () =>
      tab
        .getByRole('row')
        .getByRole('link', { name: /^Runs: / })
        .allInnerTexts()
    await title.getByRole('button').press('Enter')
    await tab.locator('th[aria-sort=ascending]').filter({ hasText: 'Cost per merged story' }).waitFor()
    const cheapestFirst = (await names()).slice(0, 2)
    await title.getByRole('button').press('Enter')
    await tab.locator('th[aria-sort=descending]').filter({ hasText: 'Cost per merged story' }).waitFor()
    const dearestFirst = (await names()).slice(0, 2)
    assert.deepEqual(dearestFirst, cheapestFirst.toReversed())
    // Too few to compare stay last.
    assert.match(await tab.getByRole('row').last().innerText(), /Too few to compare/)
    const [file] = await Promise.all([
      tab.waitForEvent('download'),
      tab.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    const lines = (await readDownload(file)).trimEnd().split('\r\n')
    assert.match(lines[0]!, /^"Agent","Finished runs"/)
    assert.deepEqual(
      lines.slice(1, 3).map((line) => line.split(',')[0]),
      dearestFirst.map((name) => `"${name}"`),
    )
    await tab.context().close()
  })

  for (const width of [phone, desk])
    test(`what opens over a screen, at ${width} pixels`, async () => {
      const tab = await signedInTab(demo, 'owner', { width })
      await tab.goto(screen(demo, 'settings/api'))
      for (const [place, name] of Object.keys(opened).entries()) {
        await settled(tab)
        const close = await open(tab, name, width)
        await looksRight(tab, name, place, width)
        await close()
      }
    })

  for (const [kind, screens] of Object.entries({ work, operations, outside }))
    describe(kind, { concurrency: 1 }, () => {
      let tab: Tab

      test('login', async () => {
        // The same for all who sign in.
        if (kind !== 'outside') tab = await signedInTab(demo, 'owner', { width: phone })
        else {
          tab = await openTab(await openWindow({ width: phone }))
          await tab.goto(`${demo.started.url}/login`)
          await tab.getByLabel('Email').waitFor()
          await looksRight(tab, 'login', 0)
          await signIn(tab, demo)
        }
        await tab.goto(screen(demo, 'inbox'))
        await settled(tab)
      })

      for (const [place, [name, address]] of Object.entries(screens).entries())
        test(name, async () => {
          await resize(tab, phone)
          const url = address.startsWith('/') ? demo.started.url + address : screen(demo, filled(address))
          // With pictures everything is done; otherwise each screen is reached as a link leads there.
          await (pictures ? tab.goto(url) : follow(tab, url))
          await settled(tab)
          await looksRight(tab, name, place)
        })
    })
})

/** All rows of a list but its first: they would be asked the same, and cost as much each time. */
const hideRows = (display: string) => `
  for (const list of document.querySelectorAll('ul, ol, tbody, [role=listbox]'))
    for (const row of [...list.children].slice(3)) row.style.display = '${display}'`

/**
 * Where the page begins, from the left and from the top, and how large its title is. What stands above a title, or in
 * the settings beside or above it, begins the page.
 */
const titleEdge = `(() => {
  const main = document.querySelector('#main')
  const title = main.querySelector('h1')
  const settings = [...main.querySelectorAll('nav[aria-label="Settings"]')].find((nav) => nav.offsetWidth > 0)
  const beside = settings?.querySelector('ul')
  const first = beside ?? settings ?? title.closest('header')?.parentElement.firstElementChild ?? title
  const { left, top } = first.getBoundingClientRect()
  const style = getComputedStyle(first)
  const round = (number) => Math.round(number * 4) / 4
  return [
    round(left + parseFloat(style.paddingLeft)),
    // Tabs are as high as a finger needs, and have their own room.
    settings && !beside ? null : round(top - main.getBoundingClientRect().top + parseFloat(style.paddingTop)),
    parseFloat(getComputedStyle(title).fontSize),
  ]
})()`

/** Buttons, fields and tabs that a finger would miss. Links within text are as high as the text. */
const smallTargets = `[...document.querySelectorAll('button, select, input, textarea, summary, [role=tab], nav a')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[aria-hidden=true]'))
  .filter((one) => !one.matches('[type=checkbox], [type=radio], [type=hidden], .sr-only'))
  .flatMap((one) => {
    const { width, height } = one.getBoundingClientRect()
    // Of some, more is met than is seen.
    if (parseFloat(getComputedStyle(one, '::before').height) >= 43.5) return []
    return height < 43.5 && width > 1 ? [Math.round(height) + ' px: ' + one.outerHTML.slice(0, 140)] : []
  })`

/** Tabs of the page that is shown, and states on a card, that are not read in full. */
const cutOff = `[
  ...[...document.querySelectorAll('nav [aria-current=page]')].filter((tab) => {
    const [row, own] = [tab.closest('nav').getBoundingClientRect(), tab.getBoundingClientRect()]
    return own.width > 0 && (own.left < row.left - 1 || own.right > row.right + 1)
  }),
  ...[...document.querySelectorAll('td span.h-5 > .truncate')].filter((word) => word.scrollWidth > word.clientWidth + 1),
].map((one) => one.textContent)`

/** Rows of tabs or links of which more than one says that it is the page that is shown. */
const twiceCurrent = `[...document.querySelectorAll('nav')]
  .map((nav) => [...nav.querySelectorAll('[aria-current=page]')].map((one) => one.textContent.trim()))
  .filter((current) => current.length > 1)`

/** Lines of a card that have a label and nothing beside it. */
const emptyCardLines = `[...document.querySelectorAll('td')]
  .filter((cell) => cell.checkVisibility() && /^[–-]?$/.test(cell.lastElementChild?.textContent.trim() ?? 'x'))
  .filter((cell) => cell.firstElementChild?.ariaHidden === 'true' && !cell.querySelector('button, svg, a'))
  .map((cell) => cell.textContent.trim())
  .filter((text) => text.length > 1)`

/** What has no words and is seen by its background alone: bars, meters, dots. */
const markColoured = `for (const one of document.querySelectorAll('#main *')) {
  const { width, height } = one.getBoundingClientRect()
  const colour = getComputedStyle(one).backgroundColor
  const isMark = one.childElementCount === 0 && one.textContent === '' && width >= 2 && height >= 3
  if (isMark && !/, 0\\)$/.test(colour) && colour !== 'rgba(0, 0, 0, 0)' && !one.matches('input, textarea, select'))
    one.dataset.mark = colour
}`

/** Of those and of what is chosen, what has become one with the page. */
const vanished = `(() => {
  const behind = (one) => {
    const { backgroundColor } = getComputedStyle(one)
    return backgroundColor === 'rgba(0, 0, 0, 0)' && one.parentElement ? behind(one.parentElement) : backgroundColor
  }
  const gone = []
  for (const one of document.querySelectorAll('[data-mark]')) {
    const { backgroundColor, borderTopWidth, borderTopStyle, outlineStyle } = getComputedStyle(one)
    const hasLine = (borderTopStyle !== 'none' && borderTopWidth !== '0px') || outlineStyle !== 'none'
    if (backgroundColor === behind(one.parentElement) && !hasLine) gone.push('gone: ' + one.outerHTML.slice(0, 140))
  }
  const chosen = '#main [aria-selected=true], [aria-current]:not([aria-current=false]), [aria-pressed=true]'
  for (const one of document.querySelectorAll(chosen))
    if (getComputedStyle(one).outlineStyle === 'none') gone.push('not seen to be chosen: ' + one.outerHTML.slice(0, 140))
  return gone
})()`

async function looksRight(tab: Tab, name: string, place: number, only?: number): Promise<void> {
  const faults: string[] = []
  for (const [index, { width, theme, isPictured }] of looks.entries()) {
    if (only && only !== width) continue
    await resize(tab, width)
    await tab.emulateMedia({ colorScheme: theme })
    await until(
      `${name} follows the theme`,
      async () => (await tab.evaluate('document.documentElement.dataset.theme')) === theme,
    )
    const emptyLines = (await tab.evaluate(emptyCardLines)) as string[]
    if (width === phone)
      faults.push(...emptyLines.map((line) => `${name}: a line that says nothing: ${line}`))
    for (const current of (await tab.evaluate(twiceCurrent)) as string[][])
      faults.push(`${name} at ${width}: all of these are said to be shown: ${current.join(', ')}`)
    const beyond = await tab.evaluate('document.documentElement.scrollWidth - innerWidth')
    if ((beyond as number) > 0) faults.push(`${name} at ${width}: scrolls sideways by ${beyond} pixels`)
    if (await tab.locator('#main h1').count()) {
      const [left, top, size] = (await tab.evaluate(titleEdge)) as [number, number | null, number]
      const others = width === phone ? [14, 17.5, 17.5] : [224, 21, 17.5]
      if (String([left, top ?? others[1], size]) !== String(others))
        faults.push(`${name} at ${width}: its title is at ${[left, top, size]}, others at ${others}`)
    }
    if (pictures || place % looks.length === index) {
      await tab.evaluate(hideRows('none'))
      const found = await accessibilityFaults(tab)
      await tab.evaluate(hideRows(''))
      faults.push(...found.map((fault) => `${name} at ${width}, ${theme}: ${fault}`))
    }
    if (pictures && isPictured)
      await keepPicture(tab, path.join(pictures, `${name}${width === phone ? '-phone' : ''}.webp`))
  }
  assert.deepEqual(faults, [])
  // An invitation that does not exist is a 404, and a browser says so.
  assertQuiet(tab, /40[14]/)
}

/** As the page is once it has seen its new width, and has read what that gives room for. */
async function resize(tab: Tab, width: number): Promise<void> {
  if (tab.viewportSize()!.width === width) return
  await tab.setViewportSize({ width, height: heightAt(width) })
  await tab.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))')
  await settled(tab)
}

/** Opens what lies over the screen, and tells how to get rid of it. */
async function open(tab: Tab, name: string, width: number): Promise<() => Promise<void>> {
  const way = opened[name]!
  const inMore = 'button' in way && way.inMore === true && width === phone
  // A toast may come at any time and stays until it is dismissed: it is no dialog that Escape closes.
  const over = tab.locator('[role="dialog"]:not([aria-modal="false"]), [role="menu"]')
  if ('key' in way) await tab.keyboard.press(way.key)
  else {
    if (inMore) await tab.getByRole('button', { name: 'More' }).click()
    const within = inMore ? tab.getByRole('dialog') : tab
    await within.getByRole('button', { name: way.button }).first().click()
  }
  await over.last().waitFor()
  // One press closes what is on top; one that came too early is made again.
  return () =>
    until(`${name} is closed`, async () => {
      const isClosed = (await over.count()) === 0
      if (!isClosed) await tab.keyboard.press('Escape')
      return isClosed
    })
}

/** One of each, from what the demo has. */
async function knownThings(demo: Serving): Promise<Map<string, string>> {
  const [runs, pending, resolved] = await Promise.all([
    demo.all<RunListed>('/v1/runs'),
    demo.all<Decision>('/v1/decisions?status=pending'),
    demo.all<Decision>('/v1/decisions?status=resolved'),
  ])
  const whole = await Promise.all(runs.slice(0, 60).map(({ key }) => demo.get<Run>(`/v1/runs/${key}`)))
  const proven = whole.find(({ evidence }) => evidence !== null)!
  const tab = await signedInTab(demo)
  const read = async <T>(operation: string): Promise<T> =>
    (await tab.request.get(`${demo.started.url}/api/w/${demo.started.workspace}/${operation}`)).json()
  const services = await read<{ data: { id: string; name: string }[] }>('services.list')
  const service = services.data.find(({ name }) => name === 'parcel-search')!.id
  const [incidents, requirements, sources] = await Promise.all([
    read<{ data: { key: string }[] }>('incidents.list'),
    read<{ data: { slug: string }[] }>('requirements.list'),
    read<{ data: { id: string }[] }>(`sources.list?service=${service}`),
  ])
  await tab.close()
  return new Map([
    [':decision', pending.find(({ runKey }) => runKey !== null)!.key],
    [':resolved', resolved[0]!.key],
    [':guard', pending.find(({ story }) => story?.key === 'DATA-7')!.key],
    [':requirement', requirements.data.at(-1)!.slug],
    [':story', proven.story.key],
    [':run', proven.key],
    [':changed', runs.find(({ story }) => story.key === 'DATA-6')!.key],
    [':failed', runs.find(({ status }) => status === 'failed')!.key],
    [':incident', incidents.data[0]!.key],
    [':service', service],
    [':source', sources.data[0]!.id],
  ])
}

import { createHash } from 'node:crypto'
import type { DemoDecision, DemoRun, DemoStory } from '../../script.ts'
import { allCriteria, gate, noneDenied, typeCheck, unitTests } from '../../shorthand/gates.ts'
import { attempt, changed, failed, proofs, pullsOf, succeeded, verified } from '../../shorthand/run.ts'
import { linear } from '../../shorthand/trackers.ts'

/** A story of the last weeks, what was tried on it, and how that ended. */
interface Done {
  title: string
  wish: string
  met: string
  shown: string
  size: 'xs' | 's' | 'm' | 'l'
  kind?: 'expedite' | 'fixed_date'
  by: 'claude_code' | 'codex' | 'opencode'
  model: string
  daysAgo: number
  /** Of each attempt. */
  costCents: number[]
  /** Merged where nothing else is said. */
  end?: 'failed' | 'stopped'
  /** How long the merge waited for its approval. */
  waitMinutes?: number
}

type Row = [title: string, wish: string, met: string, shown: string]
type Course = [
  size: Done['size'],
  agent: keyof typeof agents,
  daysAgo: number,
  costCents: number[],
  rest?: Pick<Done, 'end' | 'waitMinutes' | 'kind'>,
]

const agents = {
  sonnet: { by: 'claude_code', model: 'claude-sonnet-4-5' },
  opus: { by: 'claude_code', model: 'claude-opus-4-5' },
  codex: { by: 'codex', model: 'gpt-5.5' },
  opencode: { by: 'opencode', model: 'gemini-2.5-pro' },
} as const

const done = ([title, wish, met, shown]: Row, [size, agent, daysAgo, costCents, rest]: Course): Done => ({
  ...{ title, wish, met, shown, size, daysAgo, costCents },
  ...agents[agent],
  ...rest,
})

/** Oldest first. */
const history: Done[] = [
  done(
    [
      'Show the return window on the order page',
      'Customers ask until when they can send a parcel back. Show the last day beside the order.',
      'An order of 1 March with a window of 30 days shows "until 31 March".',
      'Open order 4417 of the fixture: the last day is shown beside the date.',
    ],
    ['s', 'sonnet', 72, [164], { waitMinutes: 22 }],
  ),
  done(
    [
      'Ask for a reason before a return label is printed',
      'The warehouse sorts returns by reason and guesses it today. Ask for one of six reasons.',
      'A label is printed only once a reason is chosen.',
      'Start a return without a reason: the button names what is missing.',
    ],
    ['s', 'codex', 71, [142], { waitMinutes: 35 }],
  ),
  done(
    [
      'Refund the shipping fee when we sent the wrong item',
      'Support refunds it manually, about 40 times a week.',
      'A return with the reason "wrong item" refunds the fee with the price.',
      'Play the fixture "wrong item": the refund is price plus fee.',
    ],
    ['m', 'sonnet', 69, [388], { waitMinutes: 95 }],
  ),
  done(
    [
      'Print two labels for a return of two parcels',
      'Customers with two parcels start two returns, and the second one is refused.',
      'A return of two parcels prints two labels with one number.',
      'Start a return of two parcels: the stub printer holds two labels.',
    ],
    ['m', 'codex', 68, [301, 244], { waitMinutes: 51 }],
  ),
  done(
    [
      'Name the nearest drop-off point',
      'The page lists all 310 points. Show the three that are closest to the delivery address.',
      'Postcode 1772 shows the three points of the fixture map in the order of their distance.',
      'Open a return to 1772: Halden station comes first.',
    ],
    ['m', 'opus', 66, [612], { waitMinutes: 18 }],
  ),
  done(
    [
      'Close returns that were never sent',
      'Returns stay open for years when no parcel comes. Close them after 60 days and tell the customer.',
      'A return without a scan is closed on day 61, with one email.',
      'Set the clock of the fixture to day 61: the return is closed.',
    ],
    ['s', 'codex', 64, [133], {}],
  ),
  done(
    [
      'Export returns of a month for accounting',
      'Accounting copies returns from the screen into a table.',
      'The file of March has one line for each refund, with its tax.',
      'Export March of the fixture: 212 lines, the sum is €8,114.20.',
    ],
    ['m', 'sonnet', 63, [342, 271], { waitMinutes: 140, kind: 'fixed_date' }],
  ),
  done(
    [
      'Warn when an item can’t be returned',
      'Opened cosmetics come back and are thrown away.',
      'An item of that class shows the warning before a label is printed.',
      'Start a return of item C-200: the warning is shown.',
    ],
    ['xs', 'codex', 61, [71], {}],
  ),
  done(
    [
      'Match returns without a label by their contents',
      'About 30 parcels a week come without a label and wait for a person.',
      'Of the 40 parcels of the fixture, 31 are matched and none is matched wrongly.',
      'Run the fixture: 31 matched, 9 left for a person.',
    ],
    ['l', 'opus', 60, [1_140, 866], { end: 'failed' }],
  ),
  done(
    [
      'Show refunds that are on their way',
      'Half of all calls ask where the money is.',
      'A refund that was sent shows its day and the usual three days of the bank.',
      'Open return R-88 of the fixture: "sent on 4 March".',
    ],
    ['s', 'sonnet', 58, [148], { waitMinutes: 9 }],
  ),
  done(
    [
      'Let shops set their own return window',
      'Two partners give 60 days, and support extends each return manually.',
      'A shop with 60 days accepts a return on day 59 and refuses one on day 61.',
      'Set 60 days for shop A in the fixture and play both returns.',
    ],
    ['m', 'codex', 57, [287], { waitMinutes: 64 }],
  ),
  done(
    [
      'Stop printing labels while the carrier is down',
      'Labels that were printed during an outage are not known to the carrier.',
      'With the stub carrier down, a return says so and prints nothing.',
      'Stop the stub: the page says when to try again.',
    ],
    ['s', 'sonnet', 55, [201], { kind: 'expedite' }],
  ),
  done(
    [
      'Weigh returns at the gate',
      'The scale knows the weight, and people type it.',
      'A parcel on the scale fills in its weight within a second.',
      'Put 2,400 g on the stub scale: the field says 2.4 kg.',
    ],
    ['m', 'codex', 54, [318], { end: 'failed' }],
  ),
  done(
    [
      'Keep the photo of a damaged item with its return',
      'Photos are sent by email and get lost.',
      'A photo of up to 8 MB is shown on the return.',
      'Add the sample photo: it is shown after a reload.',
    ],
    ['m', 'sonnet', 52, [296], { waitMinutes: 31 }],
  ),
  done(
    [
      'Sort the list of returns by age',
      'The oldest returns are at the end of the last page.',
      'The list begins with the oldest open return.',
      'Open the list of the fixture: R-12 comes first.',
    ],
    ['xs', 'codex', 50, [58], {}],
  ),
  done(
    [
      'Send a reminder before the window ends',
      'Customers forget, and then ask for an exception.',
      'Three days before the end one email is sent, and none for a return that was started.',
      'Set the clock to day 27: the stub has one email.',
    ],
    ['s', 'sonnet', 48, [177], { waitMinutes: 44 }],
  ),
  done(
    [
      'Book a returned item back into stock',
      'Items wait two days until someone books them.',
      'An item that passed its check is in stock within a minute.',
      'Pass item B-7 in the fixture: the stock goes from 3 to 4.',
    ],
    ['m', 'codex', 46, [402, 355], { waitMinutes: 88 }],
  ),
  done(
    [
      'Refund gift cards to the gift card',
      'Refunds of gift cards go to a bank account that the buyer never had.',
      'An order paid by gift card is refunded to the same card.',
      'Play the fixture "gift card": its balance grows by €25.',
    ],
    ['s', 'opus', 44, [431], { waitMinutes: 27 }],
  ),
  done(
    [
      'Tell two returns of one order apart',
      'The warehouse sees two rows that look the same.',
      'Each row names its items.',
      'Open order 5120: one row says "Lamp", the other "Rug".',
    ],
    ['xs', 'codex', 42, [64], {}],
  ),
  done(
    [
      'Accept returns at lockers',
      'Lockers have room at night. Let customers leave returns there.',
      'A return with a locker code opens a free door and is scanned as sent.',
      'Play the fixture "locker": door 7 opens, the return is sent.',
    ],
    ['l', 'sonnet', 40, [702, 533], { waitMinutes: 210, kind: 'fixed_date' }],
  ),
  done(
    [
      'Count returns by reason on one page',
      'The purchasing team asks for these numbers every Monday.',
      'The page of the fixture has six reasons with their counts.',
      'Open the page: "too small" is first with 88.',
    ],
    ['s', 'opencode', 38, [119], {}],
  ),
  done(
    [
      'Translate the return emails into Finnish',
      'Customers in Finland get them in English.',
      'All five emails are there in Finnish.',
      'Set the language of the fixture to Finnish and play a return.',
    ],
    ['s', 'opencode', 36, [131], { waitMinutes: 75 }],
  ),
  done(
    [
      'Refuse a label for an address we don’t deliver to',
      'Such labels come back as undeliverable.',
      'An address outside of the area is refused with the reason.',
      'Enter an address in Iceland: the page explains why.',
    ],
    ['s', 'sonnet', 34, [159], {}],
  ),
  done(
    [
      'Split a refund over two payment methods',
      'Orders that were paid in two ways are refunded manually.',
      'Each method gets back what it paid.',
      'Play the fixture "half card, half voucher": €30 and €20.',
    ],
    ['m', 'codex', 32, [356], { waitMinutes: 47 }],
  ),
  done(
    [
      'Print labels that old scanners can read',
      'The scanners in Moss can’t read the new code.',
      'A label of that depot has the old code as well.',
      'Print a label for Moss: the stub scanner reads it.',
    ],
    ['s', 'codex', 30, [121], { kind: 'expedite', waitMinutes: 6 }],
  ),
  done(
    [
      'Suggest an exchange in place of a refund',
      'Half of all returned shoes have the wrong size.',
      'The page offers the next size where it is in stock.',
      'Return shoe S-41 as "too small": S-42 is offered.',
    ],
    ['l', 'sonnet', 27, [640], { end: 'stopped' }],
  ),
  done(
    [
      'Check the serial number of returned devices',
      'Some customers send back an older device.',
      'A device with another number is put aside with the reason.',
      'Scan the wrong number in the fixture: it is put aside.',
    ],
    ['m', 'opus', 25, [498], { waitMinutes: 39 }],
  ),
  done(
    [
      'Show what a return will cost before it is started',
      'Returns from abroad are not free, and people learn it afterwards.',
      'A return from Sweden shows €4.90 before the label.',
      'Start a return from Sweden in the fixture: €4.90 is shown.',
    ],
    ['s', 'codex', 23, [137], {}],
  ),
  done(
    [
      'Delete photos a year after a return is closed',
      'Photos show homes and people. We don’t need them longer than a year.',
      'A photo of a return that was closed 366 days ago is gone.',
      'Set the clock forward: the photo answers with 404.',
    ],
    ['s', 'sonnet', 20, [153], { waitMinutes: 16 }],
  ),
  done(
    [
      'Group refunds into one payment a day for shops',
      'Shops see 200 small payments and can’t match them.',
      'A shop gets one payment with a list of its refunds.',
      'Play a day of the fixture: one payment of €1,204.50.',
    ],
    ['l', 'codex', 18, [560, 498], { end: 'failed' }],
  ),
  done(
    [
      'Read the reason aloud for screen readers',
      'The six reasons are pictures without names.',
      'Each reason has a name, and the chosen one is announced.',
      'Go through the page by keyboard: each reason is named.',
    ],
    ['xs', 'sonnet', 15, [66], {}],
  ),
  done(
    [
      'Retry refunds that the bank has refused',
      'A refused refund is noticed when the customer calls.',
      'A refund that was refused once is tried again the next day; the second time a person is asked.',
      'Play the fixture "refused": the second day succeeds.',
    ],
    ['m', 'codex', 12, [274], { waitMinutes: 58 }],
  ),
]

const where = 'The change belongs to the returns page that customers and the support team share.'
const asBefore = 'Returns that were started before the change look and behave as they did.'

const dayMinutes = 1_440
const pull = pullsOf('returns-desk')
const issue = linear('RET')
const idOf = (number: number) => `returns-${number}`
/** Started in the morning, each a little later than the one before. */
const startOf = ({ daysAgo }: Done, number: number) => daysAgo * dayMinutes - (number % 9) * 20

const pathsOf = (number: number) => [`src/returns/step-${number}.ts`, `src/returns/step-${number}.test.ts`]

export const stories: DemoStory[] = history.map((story, index) => {
  const { title, wish, met, shown, size, kind, end } = story
  const created = startOf(story, index + 1) + 600
  return {
    number: index + 1,
    title,
    description: `${wish} ${where}`,
    acceptanceCriteria: [met, asBefore],
    demonstrate: shown,
    columnRole: end ? 'backlog' : 'done',
    estimate: { size, complexity: size === 'l' ? 'high' : size === 'm' ? 'medium' : 'low' },
    ...(kind && { classOfService: kind }),
    tracker: issue(100 + index),
    minutesAgo: { created, updated: end ? created : created - 1_000 },
  }
})

const minutesOfAttempt = 70

export const runs: DemoRun[] = history.map((story, index) => {
  const { by, model, costCents, end, shown, waitMinutes = 0 } = story
  const number = index + 1
  const start = startOf(story, number)
  const attempts = costCents.map((cents, at) => {
    const began = start - at * (minutesOfAttempt + 5)
    const isLast = at === costCents.length - 1
    const course = {
      ...{ executor: by, model, costCents: cents, startedMinutesAgo: began },
      completedMinutesAgo: began - minutesOfAttempt - (isLast && !end ? waitMinutes : 0),
    }
    const gates = [noneDenied(2), typeCheck, unitTests(610 + number, 24)]
    const checked = began - 50
    if (isLast && !end) return succeeded(course, verified(checked, ...gates, allCriteria(2)))
    if (isLast && end === 'stopped')
      return attempt('stopped', 'implementing', { ...course, stoppedBy: 'tomasz.wrobel@example.com' })
    const unmet = gate('acceptance', 'failed', '1 of 2 criteria')
    const error = 'acceptance: 1 of 2 criteria was not met'
    return failed('verifying', 'gate', error, course, verified(checked, ...gates, unmet))
  })
  return {
    id: idOf(number),
    storyKey: `RET-${number}`,
    createdMinutesAgo: start + 3,
    attempts,
    ...(end !== 'stopped' && {
      evidence: {
        commit: createHash('sha1').update(`returns-desk#${number}`).digest('hex'),
        criteria: proofs(
          end ? ['failed', `step-${number}.test.ts: ${story.met}`] : `step-${number}.test.ts: ${story.met}`,
          `step-${number}.test.ts: started before`,
        ),
        changes: changed({ additions: 40 + 3 * number, deletions: 5 + number }, pathsOf(number)),
        demonstration: end ? 'Not shown: a criterion was not met.' : shown,
      },
    }),
    ...(!end && { pullRequest: pull(200 + number) }),
  }
})

export const decisions: DemoDecision[] = history.flatMap(
  ({ title, end, waitMinutes, costCents, ...story }, index) => {
    if (end || !waitMinutes) return []
    const number = index + 1
    const last =
      startOf({ title, costCents, ...story }, number) - (costCents.length - 1) * (minutesOfAttempt + 5)
    const asked = last - minutesOfAttempt
    return {
      kind: 'merge_approval',
      title: `Merge #${200 + number}: ${title}`,
      body: `All gates passed. ${40 + 3 * number} added and ${5 + number} deleted lines in 2 files.`,
      run: idOf(number),
      createdMinutesAgo: asked,
      answered: {
        by: index % 3 === 0 ? 'tomasz.wrobel@example.com' : 'amara.okafor@example.com',
        via: index % 4 === 0 ? 'slack' : 'app',
        minutesAgo: asked - waitMinutes,
      },
    }
  },
)

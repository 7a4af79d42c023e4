import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/any-character.ts'
import type { Answered } from '../../../ports/splitter.ts'
import { rules } from './rules.ts'

const team = { name: 'Checkout', description: null }

const split = (text: string, answers: Answered[] = []) => rules.split({ text, answers }, team)

async function drafted(text: string, answers: Answered[] = []) {
  const result = await split(text, answers)
  assert.ok('drafts' in result, `asked instead: ${JSON.stringify(result)}`)
  return result
}

async function asked(text: string) {
  const result = await split(text)
  assert.ok('questions' in result, `drafted instead: ${JSON.stringify(result)}`)
  return result.questions
}

test('each heading is a draft, with the criteria, the Demonstrate block and the size that stand under it', async () => {
  const { drafts, notes } = await drafted(`# Invoices

Accounting loses three hours a month.

## Export the invoices as CSV
As an accountant, I want to export all invoices of a month so that I can import them.

### Acceptance criteria
- The file has one row for each invoice
  of the month.
- [x] An empty month gives a file with the header only.

### Demonstrate
1. Open Invoices.

2. Press Export.

Size: M

## Background
The old system goes away in May.

## 2. Delete an invoice
Owners can delete it.
`)
  assert.deepEqual(drafts, [
    {
      title: 'Export the invoices as CSV',
      description:
        'As an accountant, I want to export all invoices of a month so that I can import them.\n\n# Invoices\n\nAccounting loses three hours a month.\n\n## Background\nThe old system goes away in May.',
      acceptanceCriteria: [
        'The file has one row for each invoice of the month.',
        'An empty month gives a file with the header only.',
      ],
      demonstrate: '1. Open Invoices.\n\n2. Press Export.',
      size: 'm',
      complexity: null,
      classOfService: 'standard',
    },
    {
      title: 'Delete an invoice',
      description:
        'Owners can delete it.\n\n# Invoices\n\nAccounting loses three hours a month.\n\n## Background\nThe old system goes away in May.',
      acceptanceCriteria: [],
      demonstrate: null,
      size: null,
      complexity: null,
      classOfService: 'standard',
    },
  ])
  assert.deepEqual(notes, [
    'Each heading became a draft.',
    'No acceptance criteria were written for 1 draft; add them before you approve.',
    'No Demonstrate block was written for 1 draft.',
    'The size of 1 draft was not estimated.',
    'Drafts were not checked for overlaps or dependencies.',
  ])
})

test('each entry of a list is a draft, and what stands around the list is about all of them', async () => {
  const { drafts } = await drafted(`For the checkout:
1. Customers can pay by invoice, because companies ask for it
   Acceptance criteria:
   - The invoice arrives as an email.
   - The order shows that it is paid by invoice.
   Demonstrate: place an order and open the inbox
2. **Show the delivery window** on the cart page
Given a cart
When I open it
Then the window is shown

All of this before May.`)
  assert.deepEqual(
    drafts.map(({ title, acceptanceCriteria, demonstrate }) => [title, acceptanceCriteria, demonstrate]),
    [
      [
        'Customers can pay by invoice, because companies ask for it',
        ['The invoice arrives as an email.', 'The order shows that it is paid by invoice.'],
        'place an order and open the inbox',
      ],
      [
        'Show the delivery window on the cart page',
        ['Given a cart When I open it Then the window is shown'],
        null,
      ],
    ],
  )
  for (const { description } of drafts) {
    assert.match(description, /For the checkout:/)
    assert.match(description, /before May/)
  }
})

test('each “As a … I want” sentence is a draft, named by what is wanted', async () => {
  const { drafts } = await drafted(
    'As a customer I want to see my orders so that I know. As an admin, I want to cancel any order so that mistakes go away.',
  )
  assert.deepEqual(
    drafts.map(({ title }) => title),
    ['See my orders', 'Cancel any order'],
  )
})

test('a list of fragments stays in one draft', async () => {
  const { drafts, notes } = await drafted(
    'The export page should show:\n- date range\n- format\n- a button\n\nCustomers then see the file.',
  )
  assert.equal(drafts.length, 1)
  assert.equal(drafts[0]?.title, 'The export page should show')
  assert.ok(notes.some((note) => note.startsWith('The list stayed in one draft')))
})

test('criteria can be numbered, and each scenario is one', async () => {
  const { drafts } = await drafted(`Customers can pay by invoice.

Acceptance criteria:
1. The invoice arrives as an email.
2. Given a private customer,
   when they choose how to pay, then they see no invoice.
3. Given a company
And a limit
When the limit is reached
Then the order waits`)
  assert.deepEqual(drafts[0]?.acceptanceCriteria, [
    'The invoice arrives as an email.',
    'Given a private customer, when they choose how to pay, then they see no invoice.',
    'Given a company And a limit When the limit is reached Then the order waits',
  ])
  assert.equal(drafts.length, 1)
})

test('criteria are found under every name that people give them', async () => {
  const both = ['The invoice arrives as an email.', 'The order shows that it is paid.']
  const written = (...lines: string[]) =>
    ['Customers can pay by invoice on the checkout page.', ...lines].join('\n')
  for (const text of [
    written('', 'AC:', `- ${both[0]}`, `- ${both[1]}`),
    written('', '**AC**', `1. ${both[0]}`, `2. ${both[1]}`),
    written('', `AC1: ${both[0]}`, `AC2: ${both[1]}`),
    written('', 'Acceptance criteria', `* ${both[0]}`, `* ${both[1]}`),
    written('', '## Done when', `- ${both[0]}`, `- ${both[1]}`),
    written('', 'Done when:', both[0]!, both[1]!),
    written('', 'Definition of done:', `- ${both[0]}`, `- ${both[1]}`),
  ]) {
    const { drafts } = await drafted(text)
    assert.deepEqual(
      drafts.map(({ title, acceptanceCriteria }) => [title, acceptanceCriteria]),
      [['Customers can pay by invoice on the checkout page', both]],
      text,
    )
  }
  const { drafts } = await drafted(written('Done when the invoice arrives as an email.'))
  assert.deepEqual(drafts[0]?.acceptanceCriteria, ['the invoice arrives as an email.'])
})

test('a list is the criteria of the story it stands in, not stories of its own', async () => {
  const list = (mark: (index: number) => string) =>
    ['The order page shows the delivery window.', 'The email names the window too,\n   with its date.']
      .map((text, index) => `${mark(index)} ${text}`)
      .join('\n')
  const criteria = [
    'The order page shows the delivery window.',
    'The email names the window too, with its date.',
  ]
  const wish = 'As a customer, I want to see when my parcel arrives, so that I can be at home.'
  for (const mark of [() => '-', () => '*', (index: number) => `${index + 1}.`]) {
    for (const lead of [
      `${wish}\n\n`,
      '# See when my parcel arrives\n',
      'Customers see when their parcel arrives.\n',
    ]) {
      const { drafts } = await drafted(`${lead}${list(mark)}\n\nSize: S`)
      assert.equal(drafts.length, 1, lead)
      assert.match(drafts[0]!.title, /see when .* parcel arrives/i)
      assert.deepEqual(drafts[0]!.acceptanceCriteria, criteria)
      assert.equal(drafts[0]!.size, 's')
    }
    const { drafts } = await drafted(
      `# First of the stories\nIt is needed.\n${list(mark)}\n\n# Second of the stories\nIt is needed.\n${list(mark)}\n\nNotes:\n- The old page was made in May.\n- It has many readers today.`,
    )
    assert.deepEqual(
      drafts.map(({ acceptanceCriteria }) => acceptanceCriteria),
      [criteria, criteria],
    )
    assert.match(drafts[1]!.description, /many readers/)
  }
})

test('a list that announces stories, or whose entries say that they are some, is still split', async () => {
  for (const text of [
    'We need the following for the checkout of our shop:\n- Customers can pay by invoice.\n- The cart shows the delivery window.',
    'The checkout loses us many customers every day.\n- As a customer, I want to pay by invoice.\n- As a customer, I want to see the delivery window.',
  ])
    assert.equal((await drafted(text)).drafts.length, 2, text)
})

test('nothing is asked that the text answers, nor of a text that the rules cannot read', async () => {
  for (const text of [
    'The search on the orders page must be fast: it shows the first results within 300 ms for every customer.',
    'Add a flag to print the weight in ounces.\n\nnode src/print.js --ounces',
    'Round the weight in `src/print.js` to whole grams, because labels are cut off. For example 2.4 -> 2.',
    'お客様は名前だけでロッカーを選び、間違った場所へ行ってしまいます。名前の横に通りと町を表示します。',
    'Kundinnen wählen ein Schließfach nach seinem Namen und fahren zum falschen Bahnhof.',
  ])
    await drafted(text)
})

test('a sentence that begins with When is no criterion, and Given without Then is none', async () => {
  const { drafts } = await drafted(
    'When I open the orders page, it shows an error.\n\nGiven that this happens daily\nwe must fix it for all users.',
  )
  assert.deepEqual(drafts[0]?.acceptanceCriteria, [])
})

test('a vague requirement is asked about, most important first, three times at most', async () => {
  const questions = await asked('Make it faster')
  assert.equal(questions.length, 3)
  assert.match(questions[0]!, /what is the problem or the goal/i)
  assert.match(questions[1]!, /“faster”/)
  assert.match(questions[2]!, /Who is it for, and where/)
})

test('only what is missing is asked', async () => {
  const [only, ...others] = await asked(
    'Customers want to download the invoices of all their orders as PDF files on the orders page.',
  )
  assert.match(only!, /How would you check/)
  assert.deepEqual(others, [])
})

test('answers are woven into the drafts; what no one could answer is a note', async () => {
  const questions = await asked('Make it faster')
  const { drafts, notes } = await drafted('Make it faster', [
    { question: questions[0]!, answer: 'Support waits for the orders page 40 times a day.' },
    { question: questions[1]!, answer: "I don't know." },
    { question: questions[2]!, answer: 'Support; the page shows the orders of the day.' },
  ])
  assert.equal(drafts.length, 1)
  assert.match(drafts[0]!.description, /40 times a day/)
  assert.match(drafts[0]!.description, /orders of the day/)
  assert.deepEqual(
    notes.filter((note) => note.startsWith('Still open')),
    [`Still open: ${questions[1]}`],
  )
})

test('more than can be drafted at once, and criteria beyond the limit, are told and not lost silently', async () => {
  const many = Array.from({ length: 25 }, (_, index) => `- Customers can see part ${index} of the page`).join(
    '\n',
  )
  const listed = await drafted(many)
  assert.equal(listed.drafts.length, 20)
  assert.ok(listed.notes.some((note) => note.startsWith('5 more parts were left out')))
  const criteria = Array.from({ length: 40 }, (_, index) => `- [ ] Row ${index} is shown.`).join('\n')
  const { drafts, notes } = await drafted(`Customers see all rows.\n${criteria}\n- [ ] ${'x'.repeat(1_001)}`)
  assert.equal(drafts[0]?.acceptanceCriteria.length, 30)
  assert.match(drafts[0]!.description, /Row 39 is shown\./)
  assert.match(drafts[0]!.description, /x{1001}/)
  assert.ok(notes.some((note) => note.startsWith('A draft takes 30 criteria')))
})

/** The text without what marks its layout: what a criterion may consist of. */
const words = (text: string) =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) =>
      line
        .trim()
        .replace(/^(?:[-*+•]|\d{1,3}[.)])\s+/, '')
        .replace(/^\[[ xX]\]\s*/, ''),
    )
    .join(' ')
    .replace(/\s+/g, ' ')

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '',
    '# Heading',
    '## Another heading',
    '### Acceptance criteria',
    'Acceptance criteria: it is shown',
    '**Acceptance criteria**',
    'Demonstrate: open it',
    '## Demonstrate',
    '- [ ] a box that is checked',
    '- an entry of a list with words',
    '1. a numbered entry with words',
    '   2) set in',
    'Given a thing',
    'When it happens',
    'Then it is seen',
    '- Given this, when that, then those',
    'As a user, I want to see it so that I know. As an admin I need more.',
    'Size: XL',
    '# Background',
    '***',
    'constructor: x',
    '\ud83d',
  ),
)
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n')),
)
const answers = fc.array(fc.record({ question: fc.string(), answer: fc.string() }), { maxLength: 3 })

test('whatever the text: it never throws, asks three questions at most, and makes nothing up', async () => {
  await fc.assert(
    fc.asyncProperty(text, answers, async (requirement, given) => {
      const result = await split(requirement, given)
      if ('questions' in result) {
        assert.ok(given.length === 0 && result.questions.length > 0 && result.questions.length <= 3)
        return
      }
      assert.ok(result.drafts.length <= 20)
      for (const { title, description, acceptanceCriteria, demonstrate, size } of result.drafts) {
        assert.ok(title.trim() !== '' && title.length <= 200, JSON.stringify(title))
        assert.ok(description.length <= 50_000)
        assert.ok(acceptanceCriteria.length <= 30)
        for (const criterion of acceptanceCriteria) {
          assert.ok(criterion.trim() !== '' && criterion.length <= 1_000)
          assert.ok(words(requirement).includes(words(criterion)), JSON.stringify(criterion))
        }
        for (const step of demonstrate?.split('\n') ?? []) assert.ok(words(requirement).includes(words(step)))
        if (size !== null) assert.match(requirement, /size\s*:/i)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('the longest text is split in no time, however it is made to be slow', async () => {
  const before = process.cpuUsage()
  for (const unit of [
    '*',
    ' ',
    '\n',
    '# ',
    '- ',
    '- a b c d\n',
    '# a\n',
    'When\n',
    'as a ',
    '. as a I want\n',
    ': ',
    '```',
    '- [ ] x\n',
  ])
    await split(unit.repeat(20_000 / unit.length))
  assert.ok(process.cpuUsage(before).user < 2_000_000)
})

test('a test plan that was written is kept as the test plan, whatever comes before or after it', async () => {
  const { drafts } = await drafted(`
## Export the invoices as CSV
Accountants want all invoices of a month.

Test plan:
- a month without invoices
- a month with ten thousand

Demonstrate: press Export.

## Delete an invoice
Owners can delete it.
`)
  assert.deepEqual(
    drafts.map(({ testPlan, demonstrate, description }) => [testPlan, demonstrate, description]),
    [
      [
        '- a month without invoices\n- a month with ten thousand',
        'press Export.',
        'Accountants want all invoices of a month.',
      ],
      [undefined, null, 'Owners can delete it.'],
    ],
  )
})

test('a line of its own is the title, and a fenced block under Demonstrate is kept as it was written', async () => {
  const { drafts } = await drafted(`Print the weight on the label

Drivers weigh parcels again because the label does not say it.

Acceptance criteria
- A label of a parcel with 2,400 g ends with the line "2.4 kg".
- A label without a weight looks as it did before.

Demonstrate

\`\`\`sh
# as a driver
  node src/print.js --grams 2400

node src/print.js
\`\`\`
`)
  assert.equal(drafts.length, 1)
  const [{ title, description, acceptanceCriteria, demonstrate }] = drafts as [(typeof drafts)[0]]
  assert.equal(title, 'Print the weight on the label')
  assert.equal(description, 'Drivers weigh parcels again because the label does not say it.')
  assert.equal(acceptanceCriteria.length, 2)
  assert.equal(
    demonstrate,
    '```sh\n# as a driver\n  node src/print.js --grams 2400\n\nnode src/print.js\n```',
  )
})

import type { DemoStory } from '../../script.ts'
import { steps } from '../../shorthand/text.ts'
import { jira } from '../../shorthand/trackers.ts'

const issue = jira('PP')

export const stories: DemoStory[] = [
  {
    number: 1,
    title: "Show the partner's open parcels on one page",
    description:
      'Partners call us to ask where a parcel is. Show all parcels that haven’t been picked up yet, newest first, with locker and status, 50 per page.',
    acceptanceCriteria: [
      'The page lists parcels of the signed-in partner that are not picked up or returned.',
      'A partner cannot see another partner’s parcels (answer 404).',
    ],
    demonstrate: steps(
      'Sign in as `shop-a@partner.test`: 73 parcels on two pages.',
      'Open a parcel of shop B by its address: 404.',
    ),
    columnRole: 'done',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(12),
    minutesAgo: { created: 11_650, updated: 10_780 },
  },
  {
    number: 2,
    title: 'Mask recipient telephone numbers in the parcel list',
    description:
      'The parcel list shows full telephone numbers to all of a partner’s users. They only need the last three digits, to tell apart recipients with the same name.',
    acceptanceCriteria: [
      'The list and the download show only the last three digits.',
      'The full number is not part of any response of the portal.',
    ],
    demonstrate: steps(
      'Open the parcel list of shop A: numbers read `··· 417`.',
      'Search the network log for the full number: no hit.',
    ),
    columnRole: 'done',
    estimate: { size: 'xs', complexity: 'low' },
    tracker: issue(15),
    minutesAgo: { created: 11_640, updated: 8_740 },
  },
  {
    number: 3,
    title: 'Download the monthly statement as CSV',
    description:
      'Accounting emails statements on request. Offer each closed month’s statement as CSV, with the columns accounting uses. The amounts must match the invoice to the cent.',
    acceptanceCriteria: [
      'Each closed month can be downloaded as CSV in UTF-8 with a header row.',
      'The file’s total equals the amount of that month’s invoice.',
      'A month that is not closed is not offered.',
    ],
    demonstrate: steps(
      'Sign in as `shop-a@partner.test` and download the statement of the last closed month.',
      'The sum of the column `amount` equals the invoice in the accounting stub.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 's', complexity: 'medium' },
    tracker: issue(17),
    minutesAgo: { created: 11_600, updated: 3_400 },
  },
  {
    number: 4,
    title: 'Let a partner rotate the API key without downtime',
    description:
      'A new key replaces the old one immediately, so every rotation is an outage for the partner, and no one rotates. Let both keys work for 24 hours.',
    acceptanceCriteria: [
      'After a rotation, the old and the new key are accepted for 24 hours.',
      'After 24 hours the old key is answered with 401.',
      'The portal shows when each key was last used.',
    ],
    demonstrate: steps(
      'Rotate the key of shop A: calls with both keys are answered with 200.',
      'Advance the clock by 25 hours: the old key gets 401.',
    ),
    columnRole: 'ready',
    estimate: { size: 's', complexity: 'medium' },
    tracker: issue(21),
    minutesAgo: { created: 10_800, updated: 4_120 },
  },
  {
    number: 5,
    title: 'Upload parcel labels in bulk',
    description:
      'Partners with more than 200 parcels a day type labels one by one or write their own script. Accept a CSV file, check every row, and create labels only when all rows are valid.',
    acceptanceCriteria: [
      'A file with up to 1,000 valid rows creates all labels within 30 s.',
      'A file with one invalid row creates none and names row and column.',
      'The same file uploaded twice creates the labels once.',
    ],
    demonstrate: steps(
      'Upload `fixtures/labels-200.csv`: 200 labels.',
      'Change one postcode to `ABC` and upload: "row 17, column postcode", no label.',
    ),
    columnRole: 'backlog',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(24),
    minutesAgo: { created: 9_500, updated: 4_590 },
  },
  {
    number: 6,
    title: 'Notify a partner when parcels are about to be returned',
    description:
      'A parcel that is not picked up within 72 hours goes back. Partners want to remind their customers themselves. Send one summary per day with the parcels that will be returned within 24 hours.',
    acceptanceCriteria: [
      'One message per partner and day lists the parcels that are due within 24 hours.',
      'A partner without due parcels gets no message.',
    ],
    columnRole: 'refining',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(29),
    minutesAgo: { created: 7_000, updated: 3_980 },
  },
  {
    number: 7,
    title: 'Give a partner’s users different permissions',
    description:
      'Every one of a partner’s users can do everything, including changing the bank account. At least two roles are needed: one that manages users and payment data, one that works with parcels.',
    acceptanceCriteria: [
      'A user with the role `parcels` cannot open payment data or users.',
      'At least one user with the role `manager` always remains.',
    ],
    columnRole: 'backlog',
    estimate: { complexity: 'medium' },
    tracker: issue(33),
    minutesAgo: { created: 5_200, updated: 5_200 },
  },
  {
    number: 8,
    title: 'Show delivery figures per week',
    description:
      'Partners ask how many parcels arrived on time. Show something like a chart per week. Open question: which time is promised to which partner?',
    acceptanceCriteria: [
      'The page shows delivered parcels per week.',
      'The share delivered on time is easy to see.',
    ],
    columnRole: 'backlog',
    draft: true,
    minutesAgo: { created: 3_900, updated: 3_870 },
  },
]

import type { DemoStory } from '../../script.ts'
import { steps } from '../../shorthand/text.ts'
import { linear } from '../../shorthand/trackers.ts'

const issue = linear('MBF', 'https://linear.example.org/marlow-bay')

export const stories: DemoStory[] = [
  {
    number: 1,
    title: 'Sell return tickets for foot passengers',
    description:
      'Foot passengers to the outer islands buy two single tickets and pay the harbour fee twice. Sell a return ticket that is valid for 30 days and carries one fee.',
    acceptanceCriteria: [
      'A return ticket costs two single fares and one harbour fee.',
      'Each direction can be boarded once within 30 days.',
      'A return ticket can be refunded while neither direction has been used.',
    ],
    demonstrate: steps(
      'Buy a return ticket Marlow Bay to Gull Island on the test kiosk: €18.40.',
      'Board outward and back at the gate stub; the third scan is refused.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(203),
    minutesAgo: { created: 8_700, updated: 260 },
  },
  {
    number: 2,
    title: 'Show cancelled sailings on the boarding display',
    description:
      'A sailing that is cancelled for weather stays on the boarding display until its departure time. Read it from the harbour feed, and show "cancelled" with the next sailing.',
    acceptanceCriteria: [
      'A cancelled sailing is shown as cancelled within 60 s.',
      'The next sailing to the same island is shown below it.',
    ],
    demonstrate: steps(
      'Cancel the 14:10 to Gull Island in the feed stub.',
      'The display shows "cancelled, next sailing 16:40" within a minute.',
    ),
    columnRole: 'ready',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(207),
    minutesAgo: { created: 6_400, updated: 5_900 },
  },
]

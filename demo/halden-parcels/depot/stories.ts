import type { DemoStory } from '../../script.ts'
import { steps } from '../../shorthand/text.ts'
import { linear } from '../../shorthand/trackers.ts'

const issue = linear('DPT')

export const stories: DemoStory[] = [
  {
    number: 1,
    title: 'Scan a roll cage as a whole',
    description:
      'Every parcel in a roll cage is scanned on arrival, about 90 scans per cage, although the sender already has the list. Scan the cage’s label, confirm the list, and check a sample of ten.',
    acceptanceCriteria: [
      'Scanning a cage label books all parcels of its list as arrived.',
      'A difference in the sample of ten asks for a full scan.',
      'A cage without a list is refused with the reason.',
    ],
    columnRole: 'backlog',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(4),
    minutesAgo: { created: 1_370, updated: 1_370 },
  },
  {
    number: 2,
    title: 'Show the next van on the gate screen',
    description:
      'Loaders ask the office which van comes next, although the plan has it. Show van, tour and gate for the next three departures. Open question: what is shown when the plan changes within ten minutes of departure?',
    acceptanceCriteria: [
      'The screen shows van, tour and gate of the next three departures.',
      'A change of the plan is shown within 30 s.',
    ],
    demonstrate: steps(
      'Open `/gate/moss` with the fixture plan: vans 12, 4 and 9 are shown.',
      'Swap two departures in the stub: the screen follows within 30 s.',
    ),
    columnRole: 'refining',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(6),
    minutesAgo: { created: 1_360, updated: 640 },
  },
  {
    number: 3,
    title: 'Print a replacement label at the sorting desk',
    description:
      'A parcel with an unreadable label goes to the office for a new one, which takes 25 minutes on average. Print it at the desk once two of three details (name, postcode, sender) have been entered.',
    acceptanceCriteria: [
      'Two matching details find exactly one parcel or ask for the third.',
      'The replacement label is printed within 5 s and the old label becomes invalid.',
      'Each replacement is recorded with desk, person and time.',
    ],
    demonstrate: steps(
      'Enter postcode 1772 and sender "Shop A" in the desk view: one parcel is found.',
      'Print: the stub printer holds one label; scanning the old label shows "replaced".',
    ),
    columnRole: 'refining',
    draft: true,
    estimate: { size: 's', complexity: 'medium' },
    minutesAgo: { created: 1_200, updated: 410 },
  },
  {
    number: 4,
    title: 'Count damaged parcels by conveyor section',
    description:
      'Damage is recorded by day only. The sections have light barriers, so we can narrow down where it happens. Open question: may the video of section C be used for this?',
    acceptanceCriteria: [
      'Each damage record names the last conveyor section that saw the parcel.',
      'A weekly table lists damages per section and thousand parcels.',
    ],
    columnRole: 'backlog',
    draft: true,
    minutesAgo: { created: 1_190, updated: 1_150 },
  },
  {
    number: 5,
    title: 'Let hand scanners work offline for an hour',
    description:
      'In hall 2 the wireless network drops for minutes at a time, and loaders write parcel numbers on paper. Keep scans on the device and send them when the network is back, in order.',
    acceptanceCriteria: [
      'Scans made offline are sent in order when the network is back.',
      'A scan is never booked twice.',
    ],
    columnRole: 'backlog',
    estimate: { complexity: 'high' },
    tracker: issue(11),
    minutesAgo: { created: 900, updated: 900 },
  },
  {
    number: 6,
    title: 'Sign out idle hand scanners after ten minutes',
    description:
      'Hand scanners stay signed in between shifts, so scans are booked to the wrong person. Sign out after ten minutes without a scan; the next scan of a badge signs in.',
    acceptanceCriteria: [
      'After ten minutes without a scan the device asks for a badge.',
      'A scan in progress is not lost by the sign-out.',
    ],
    demonstrate: steps(
      'Sign in with badge 1001 and advance the device clock by ten minutes: the badge screen appears.',
      'Scan badge 1002 and a parcel: the booking names badge 1002.',
    ),
    columnRole: 'ready',
    estimate: { size: 'xs', complexity: 'low' },
    tracker: issue(14),
    minutesAgo: { created: 600, updated: 95 },
  },
]

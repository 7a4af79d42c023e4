import type { DemoStory } from '../../script.ts'
import { paragraphs, steps } from '../../shorthand/text.ts'
import { linear } from '../../shorthand/trackers.ts'

const issue = linear('RTE')

export const stories: DemoStory[] = [
  {
    number: 1,
    title: 'Read depot opening hours from the depot service',
    description:
      'Opening hours are hard-coded in `planner/depots.ts` and have been wrong for two depots since the summer. The depot service has them, with exceptions for public holidays. Read them once per planning run.',
    acceptanceCriteria: [
      'The planner uses the hours of the depot service, including exceptions.',
      'When the depot service does not answer, the hours of the last successful run are used and a warning is logged.',
    ],
    demonstrate: steps(
      'Add a closing day for depot Moss in the stub and plan that day: no tour starts there.',
      'Stop the stub and plan again: the plan is the same, the log has one warning.',
    ),
    columnRole: 'done',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(41),
    minutesAgo: { created: 13_350, updated: 12_520 },
  },
  {
    number: 2,
    title: "Plan with the vehicle's real load volume",
    description:
      'The planner counts parcels, 160 per van. But vans hold between 9 and 14 m³, and parcel sizes vary by a factor of twenty. In peak weeks, every ninth van leaves parcels behind. Plan by volume and keep an 8% reserve.',
    acceptanceCriteria: [
      'No planned tour exceeds 92% of the load volume of its vehicle.',
      'Parcels without a measured volume count with the median of their size class.',
      'The replay of the 90-day set plans at most 2% more tours than before.',
    ],
    demonstrate: steps(
      'Run `npm run replay -- --days 90`.',
      'The report shows the largest load at 92% or less and the number of tours within 2% of the base.',
    ),
    columnRole: 'done',
    estimate: { size: 'l', complexity: 'high' },
    tracker: issue(42),
    minutesAgo: { created: 13_340, updated: 11_010 },
  },
  {
    number: 3,
    title: 'Explain why a stop was moved to another tour',
    description:
      'Dispatchers see that a stop moved but not why, and move it back by hand about thirty times a day. Keep the deciding reason (capacity, time window, working time, distance) and show it next to the stop.',
    acceptanceCriteria: [
      'Each moved stop carries one reason out of capacity, time window, working time, distance.',
      'The reason is shown in the tour list with the figures that decided.',
      'Planning time grows by less than 3% on the 90-day set.',
    ],
    demonstrate: steps(
      'Plan the fixture `overfull-van`.',
      'Stop HP-0533 shows "moved: capacity (12.4 of 12.0 m³)".',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(45),
    minutesAgo: { created: 13_330, updated: 9_190 },
  },
  {
    number: 4,
    title: 'Reassign the tour of a driver reported sick',
    description:
      'When a driver calls in sick after 05:00, the tour is split by hand, which takes a dispatcher about 40 minutes. Propose a distribution over the remaining tours of the depot that respects all time windows, and mark what does not fit.',
    acceptanceCriteria: [
      'The proposal is ready within 60 s after the report.',
      'No time window of a business locker is broken by the proposal.',
      'Stops that fit nowhere are listed with the reason.',
    ],
    demonstrate: steps(
      'Load the fixture `depot-moss-morning` and report driver 12 as sick.',
      'The proposal appears within a minute and lists two stops as not assignable.',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'high' },
    tracker: issue(48),
    minutesAgo: { created: 13_320, updated: 7_058 },
  },
  {
    number: 5,
    title: 'Respect the time windows of business lockers',
    description:
      'Lockers in office buildings are accessible only between 07:00 and 18:00. The planner treats all lockers the same; last month, 212 stops failed because the building was closed.',
    acceptanceCriteria: [
      'No stop at a business locker is planned outside its window.',
      'A plan that cannot keep all windows names the stops it leaves out.',
      'The replay of the 90-day set has no stop outside a window.',
    ],
    demonstrate: steps(
      'Plan the fixture `office-park-evening`: both office lockers are visited before 18:00.',
      'Run the replay: the column `outside window` is 0.',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(51),
    minutesAgo: { created: 13_000, updated: 5_040 },
  },
  {
    number: 6,
    title: 'Recompute the tour when a locker reports full',
    description:
      'Drivers find out that a locker is full only when they get there. Recompute the rest of the tour when the locker reports it, choose another one within 1 km, and tell the recipient.',
    acceptanceCriteria: [
      'A full locker on a running tour leads to a new plan for the remaining stops within 30 s.',
      'Parcels are moved to a locker within 1 km, otherwise they return to the depot.',
      'The recipient gets one message with the new address.',
      'Completed stops are never changed.',
    ],
    demonstrate: steps(
      'Start the simulator with tour 14 and set HP-0417 to full after stop 5.',
      'The driver list shows HP-0421 within 30 s, the message log holds one message per recipient.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'l', complexity: 'high' },
    tracker: issue(54),
    minutesAgo: { created: 12_800, updated: 820 },
  },
  {
    number: 7,
    title: 'Use live traffic for the afternoon tours',
    description:
      'Travel times come from a yearly average. Between 15:00 and 18:00 they’re 22% too short on the coast road. Read live times from the map provider for tours that start after 13:00, with the average as fallback.',
    acceptanceCriteria: [
      'Tours that start after 13:00 use live travel times where the provider has them.',
      'When the provider does not answer within 2 s the average is used.',
      'Calls to the provider stay below 4,000 per day.',
    ],
    demonstrate: steps(
      'Plan the fixture `coast-road-afternoon` with the provider sandbox.',
      'The tour ends 20 to 25% later than with averages; the call counter shows one call per pair.',
    ),
    columnRole: 'ready',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(58),
    minutesAgo: { created: 12_000, updated: 3_555 },
  },
  {
    number: 8,
    title: 'Start from the savings heuristic instead of nearest neighbour',
    description:
      'The start tour decides how long the improvement phase takes. Clarke and Wright savings gave 6% shorter start tours in a notebook. Replace the start heuristic and keep the improvement phase as it is.',
    acceptanceCriteria: [
      'Start tours of the 90-day set are at least 4% shorter in total.',
      'No tour of the final plan is longer than before by more than 1%.',
      'Planning one depot takes less than 45 s at the 95th percentile.',
    ],
    demonstrate: steps(
      'Run `npm run replay -- --days 90 --compare main`.',
      'The report shows start tours 4% shorter or better, and the 95th percentile below 45 s.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'm', complexity: 'high' },
    classOfService: 'intangible',
    tracker: issue(61),
    minutesAgo: { created: 11_200, updated: 1_120 },
  },
  {
    number: 9,
    title: 'Cache the travel-time matrix per hour of day',
    description:
      'The matrix of a depot (about 900 x 900) is recomputed for every planning run, although it only changes with the hour. Computing it takes 11 of 38 s. Cache it per depot and hour, for one day.',
    acceptanceCriteria: [
      'A second planning run of the same depot and hour does not compute the matrix.',
      'A change of the locker list invalidates the matrix of the depot.',
      'The cache holds at most 48 matrices; the oldest is removed first.',
    ],
    demonstrate: steps(
      'Plan depot Moss twice within an hour: the second log shows `matrix: cached`.',
      'Add a locker and plan again: the log shows `matrix: computed`.',
    ),
    columnRole: 'review',
    estimate: { size: 's', complexity: 'medium' },
    tracker: issue(64),
    minutesAgo: { created: 10_300, updated: 330 },
  },
  {
    number: 10,
    title: 'Report planner latency per depot',
    description:
      'There is one histogram for all depots, so a slow depot is hidden by the others. Add the depot as a label and a panel to the dashboard definition. There are 31 depots, so the number of series stays small.',
    acceptanceCriteria: [
      'The histogram `planner_duration_seconds` has the label `depot`.',
      'The dashboard definition shows the 95th percentile per depot.',
    ],
    demonstrate: steps(
      'Plan two depots and open `/metrics`: two label values are present.',
      'Import `dashboards/planner.json`: the panel "Duration per depot" shows both.',
    ),
    columnRole: 'review',
    estimate: { size: 'xs', complexity: 'low' },
    tracker: issue(69),
    minutesAgo: { created: 9_000, updated: 24 },
  },
  {
    number: 11,
    title: 'Let dispatchers pin a stop to a tour',
    description:
      'Some stops belong to one driver for reasons the planner can’t know, such as a key. A pinned stop must stay in its tour, whatever the planner finds. If that makes the tour impossible, say so instead of dropping the pin.',
    acceptanceCriteria: [
      'A pinned stop stays in its tour in every later plan of the day.',
      'A pin that cannot be kept is reported with the reason, and the plan is marked as incomplete.',
      'Pins are visible in the tour list and are recorded with the person who set them.',
    ],
    demonstrate: steps(
      'Pin HP-0533 to tour 7 and plan again: it stays.',
      'Pin six large stops to one van: the plan is marked as incomplete and names the capacity.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(72),
    minutesAgo: { created: 8_000, updated: 130 },
  },
  {
    number: 12,
    title: 'Simulate a whole depot day in one command',
    description: paragraphs(
      'To evaluate a change, a planner engineer runs five tools by hand. One command should replay a recorded day: orders, plans, drives, failures.',
      'Returned after a budget stop: the story is too large for one run and should be split into recording, replaying and reporting.',
    ),
    acceptanceCriteria: [
      '`npm run simulate -- --depot moss --day <date>` replays a recorded day in less than five minutes.',
      'The same day and seed give the same report.',
      'The report compares stops, kilometres and late deliveries with the recording.',
    ],
    demonstrate: steps(
      'Run the command for depot Moss and a recorded day, twice.',
      'Both reports are identical, and the number of stops equals the recording.',
    ),
    columnRole: 'backlog',
    estimate: { size: 'xl', complexity: 'high' },
    classOfService: 'intangible',
    tracker: issue(77),
    minutesAgo: { created: 6_600, updated: 4_100 },
  },
  {
    number: 13,
    title: 'Plan electric vans with their charging stops',
    description:
      'Next quarter, depot Moss gets six electric vans with a winter range of about 140 km. Some tours are longer. The planner has to insert a charging stop or keep those tours for other vans.',
    acceptanceCriteria: [
      'No tour of an electric van exceeds 90% of its range without a charging stop.',
      'A charging stop is planned at a known charger with its duration.',
      'The range depends on the outside temperature of the day.',
    ],
    columnRole: 'refining',
    estimate: { size: 'l', complexity: 'high' },
    classOfService: 'fixed_date',
    tracker: issue(81),
    minutesAgo: { created: 5_500, updated: 1_450 },
  },
  {
    number: 14,
    title: 'Prefer lockers the driver knows',
    description:
      'A first visit to a locker takes three minutes longer than a later one (measured over 14,000 stops). Add this to the cost of a stop. The gain is small, but it also means fewer calls to the depot.',
    acceptanceCriteria: [
      'The cost of a stop contains a surplus for drivers without a visit in the last 60 days.',
      'The surplus is configurable and 180 s by default.',
    ],
    columnRole: 'backlog',
    estimate: { complexity: 'low' },
    tracker: issue(84),
    minutesAgo: { created: 4_400, updated: 4_400 },
  },
  {
    number: 15,
    title: 'Estimate the emissions of each tour',
    description:
      'Two partners want an estimate per parcel for their annual report. Distance, vehicle class and load are known. Open question: which published factors do we use, and who keeps them up to date?',
    acceptanceCriteria: [
      'Each tour shows an estimate in kilograms of CO2 equivalent.',
      'The estimate per parcel sums up to the estimate of the tour.',
    ],
    columnRole: 'backlog',
    draft: true,
    minutesAgo: { created: 2_000, updated: 1_970 },
  },
  {
    number: 16,
    title: "Limit tours to the driver's legal working time",
    description:
      'The planner limits a tour to nine hours of driving and service but leaves out the break after six hours. Last month, twelve tours were up to 25 minutes too long. Add the 30-minute break and count it.',
    acceptanceCriteria: [
      'A tour with more than six hours of work contains a break of 30 minutes before the sixth hour ends.',
      'No tour exceeds nine hours without the break.',
      'The replay of the 90-day set reports 0 violations.',
    ],
    demonstrate: steps(
      'Run `npm run replay -- --days 90 --check working-time`.',
      'The report shows 0 violations; tour 31 of the first day shows the break at 11:40.',
    ),
    columnRole: 'ready',
    estimate: { size: 's', complexity: 'medium' },
    classOfService: 'fixed_date',
    tracker: issue(91),
    minutesAgo: { created: 1_600, updated: 240 },
  },
]

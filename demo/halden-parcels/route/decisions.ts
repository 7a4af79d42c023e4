import type { DemoDecision } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'

export const decisions: DemoDecision[] = [
  {
    kind: 'budget_stop',
    title: 'The run for full lockers reached its €20 budget',
    body: paragraphs(
      'Spent: €20.04 of €20.00. The run was stopped between two steps; all work is on branch `sb/route-6-1`.',
      steps(
        'Done: the `locker_full` event, the search for a neighbour within 1 km, and a new plan for the remaining stops (14 s on the simulator, limit 30 s).',
        'Done: completed stops never change, with a property test of 10,000 cases.',
        'Open: the message to the recipient (template, one message per parcel), about 120 lines.',
        'Open: acceptance and replay gates.',
      ),
      'About €7 went into the property test, which found that stops were in the wrong order after two full lockers in one tour. Estimate for the rest: €6 to €9. Raising the budget doubles it to €40. What isn’t used isn’t spent.',
    ),
    options: [
      { id: 'raise', label: 'Raise the budget to €40', action: 'raise_budget' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'route-locker-full',
    createdMinutesAgo: 545,
  },
  {
    kind: 'repeated_gate_failure',
    title: 'The replay gate failed three times for the savings heuristic',
    body: paragraphs(
      'The policy lets the `replay` gate fail twice in a run (gate_failure_budget 2); this was the third time. Start tours are 5.7% shorter, as intended, but planning one depot takes too long at the 95th percentile (limit 45 s):',
      '| Attempt | 95th percentile | Change |\n|---|---|---|\n| 1 | 96.0 s | all pairs |\n| 2 | 63.7 s | pairs within 15 km |\n| 3 | 58.2 s | savings list sorted once |',
      'Most of that time goes to depot Moss (71.4 s), where 900 lockers are close together. A limit of 40 neighbours per locker would cut the list from 405,000 to 36,000 entries. A five-day sample suggests about 33 s, with start tours 5.1% shorter.',
      'Recommended: try again with that limit. Spent: €12.29 of €20.00.',
    ),
    options: [
      { id: 'retry', label: 'Try again with 40 neighbours per locker', action: 'retry' },
      { id: 'changes', label: 'Continue with my guidance', action: 'request_changes' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'route-savings',
    createdMinutesAgo: 1_120,
  },
  {
    kind: 'revert_approval',
    title: 'Revert #134: the cached travel-time matrix broke main',
    body: paragraphs(
      'The main branch of route-planner has been red since #134 was merged (ROUTE-9). Both builds after it failed in the same test; the build before it was green.',
      '```\nplanner/dst.test.ts > plans the night of the clock change\n  expected 25 hourly matrices, received 24\n  key "moss:02" was used for two different hours\n```',
      list(
        'Cause: the cache key uses the local hour. When the clocks go back, 02:00 happens twice.',
        '#133 added the test to main while #134 was being verified, so the gates ran without it.',
        'Nothing merged since depends on the cache; #136 (ROUTE-10) doesn’t touch it.',
      ),
      'The revert applies cleanly, with 24 lines added and 158 deleted. Fixing forward means using UTC hours as the key, about 15 lines, but main stays red for another hour or two.',
    ),
    options: [
      { id: 'revert', label: 'Open the revert pull request', action: 'open_revert' },
      { id: 'forward', label: 'Fix forward with UTC hours', action: 'retry' },
      { id: 'leave', label: 'Do not revert', action: 'decline_proposal' },
    ],
    run: 'route-matrix-cache',
    createdMinutesAgo: 296,
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for planning with load volumes',
    body: paragraphs(
      'This plan needs approval because of its risk: the story is L with high complexity and changes every plan.',
      steps(
        'Add volumes to `model/vehicle.ts` and `model/parcel.ts`; unmeasured parcels get the median of their size class.',
        'Replace the count of 160 in `planner/capacity.ts` with 92% of the load volume.',
        'Check the capacity at each insertion instead of at the end.',
        'Replay 90 days and compare the number of tours.',
      ),
      'About 350 lines in 7 files. 11% of last month’s parcels have no measured volume. Checking at each insertion takes longer, about 2 s per depot in a sample.',
    ),
    run: 'route-load-volume',
    createdMinutesAgo: 11_384,
    answered: { by: 'kenji.morita@example.com', via: 'slack', minutesAgo: 11_352 },
  },
  {
    kind: 'budget_stop',
    title: 'The run for load volumes reached its €10 budget',
    body: paragraphs(
      'Spent: €10.03 of €10.00. All work is on branch `sb/route-2-1`.',
      steps(
        'Done: volume per parcel and vehicle, capacity check with a reserve of 8%.',
        'Done: median of the size class for parcels without a measured volume.',
        'Open: the number of tours grew by 3.9% on the 90-day set; the limit is 2%. The insertion still tries vehicles in a fixed order instead of the fullest that fits.',
      ),
      'The replay takes 22 minutes and ran four times, which is most of the cost. Estimate for the rest: two more replays, €4 to €5.',
    ),
    options: [
      { id: 'raise', label: 'Raise the budget to €20', action: 'raise_budget' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'route-load-volume',
    createdMinutesAgo: 11_180,
    answered: { by: 'tomasz.wrobel@example.com', via: 'api', minutesAgo: 11_120 },
  },
  {
    kind: 'main_red_incident',
    title: 'The main branch of route-planner is red: the map fixture could not be loaded; merges are on hold',
    body: paragraphs(
      'Two builds of `main` failed in all 41 tests that use the map fixture. Nothing was merged between the last green build and the first red one.',
      '```\nError: fixtures/map-south.bin: expected 18,874,368 bytes, got 131\n```',
      list(
        'The 131-byte file is a large-file pointer: since the credentials were rotated that day, the build machine had none.',
        'None of our merges is involved, so there is nothing to revert.',
        'On hold: one merge (#113).',
      ),
      'The fix is outside the code: a person has to set the new credentials on the build machine. An expedite story could only add a better error message.',
    ),
    options: [
      { id: 'fix', label: 'File an expedite story', action: 'accept_proposal' },
      { id: 'leave', label: 'Leave it to a person; keep merges on hold', action: 'decline_proposal' },
    ],
    recommendation: 'leave',
    createdMinutesAgo: 7_120,
    answered: { by: 'joris.vandijk@example.com', via: 'app', minutesAgo: 7_062 },
    note: 'Credentials set on build-01 to build-03. Main is green again.',
  },
  {
    kind: 'scope_change',
    title: 'Time windows: also plan for time inside the building?',
    body: paragraphs(
      'The story says that no stop at a business locker is planned outside its window. But the time per stop is wrong too: inside office buildings it’s 7.5 minutes on average, and the planner uses 3. Of the 212 stops that failed last month, 31 started within the window and ended after it.',
      list(
        '**Wider scope:** also use the measured time per locker. This affects the cost of every stop and changes nearly every plan in the replay.',
        '**Original scope:** a stop must start and end within the window, with the current 3 minutes plus a margin of 5 at business lockers.',
      ),
      'The recommendation is the original scope with the margin, because the replay alone can show its effect. Measured times would be a separate story.',
    ),
    options: [
      { id: 'keep', label: 'Keep the scope, add the margin', action: 'request_changes' },
      { id: 'widen', label: 'Approve the wider scope', action: 'approve_plan' },
      { id: 'reject', label: 'Reject and refine the story', action: 'reject' },
    ],
    run: 'route-time-windows',
    createdMinutesAgo: 5_270,
    answered: { by: 'kenji.morita@example.com', via: 'mcp', minutesAgo: 5_200 },
    note: 'Keep it small. A margin of 5 minutes is fine.',
  },
  {
    kind: 'budget_stop',
    title: 'The run for the depot simulation reached its €20 budget',
    body: paragraphs(
      'Spent: €20.10 of €20.00.',
      steps(
        'Done: reading recorded orders and plans of one day.',
        'Partly done: replaying the day. Drives and failures are replayed; the recording has no changes by dispatchers.',
        'Open: the report, and the same result for the same seed. Two runs differ in 3 of 41 tours, because the improvement phase is limited by wall-clock time.',
      ),
      'This is really three stories: recording what’s missing, replaying, reporting. Estimate for the rest: €30 or more. The recommendation is to end the run and split the story; the branch `sb/route-12-1` is kept for reference.',
    ),
    options: [
      { id: 'raise', label: 'Raise the budget to €40', action: 'raise_budget' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    recommendation: 'abandon',
    run: 'route-simulate',
    createdMinutesAgo: 4_280,
    answered: { by: 'tomasz.wrobel@example.com', via: 'app', minutesAgo: 4_100 },
    note: 'We’ll split this into three stories.',
  },
  {
    kind: 'maintenance_proposal',
    title: 'Move the planner tests to parallel processes',
    body: paragraphs(
      'Maintenance mode found that the unit tests of the planner run in one process (28 s) and the replay in another one after that (22 min), while 7 of the build machine’s 8 cores are idle.',
      list(
        'The unit tests share a map fixture in memory; split across four processes, each one loads it again (1.9 s). Expected: 11 s instead of 28 s.',
        'The replay could be split by depot. Expected: 4 to 5 min instead of 22. The reports would have to be combined.',
      ),
      'Most of the gain is in the replay. Each process needs 1.4 GB, and the build machines have 8 GB, so at most four can run alongside the database.',
    ),
    options: [
      { id: 'accept', label: 'File it as a story', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline and do not propose again', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 8_150,
    answered: { by: 'amara.okafor@example.com', via: 'app', minutesAgo: 6_980, optionId: 'decline' },
    note: 'New build machines arrive next month; we’ll measure again then.',
  },
  {
    kind: 'strategy_proposal',
    title: 'Plan tours for two depots together',
    body: paragraphs(
      'Source: `docs/planner-goals.md`, goal 4 ("depots close to each other should help each other"). Halden and Moss are 60 km apart and have 38 lockers that either could serve.',
      list(
        'A joint plan of the last 30 days, computed offline, has 2.7% fewer kilometres and 1.1% fewer tours.',
        'On six days of the month, vans would end at a different depot from the one they started at.',
        'Planning both together takes 94 s instead of 2 x 38 s.',
      ),
      'Estimated size: one story L for the planner and one M for the dispatch screen. The gain is small, and drivers’ shift plans would have to allow it, which isn’t a code question.',
    ),
    options: [
      { id: 'accept', label: 'Send to Requirements as drafts', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline the proposal', action: 'decline_proposal' },
    ],
    recommendation: 'decline',
    createdMinutesAgo: 12_700,
    closed: { status: 'expired', minutesAgo: 2_620 },
  },
]

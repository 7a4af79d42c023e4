import type { DemoDecision } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'

export const decisions: DemoDecision[] = [
  {
    kind: 'budget_stop',
    title: 'The run for full lockers reached its budget of 20 euro',
    body: paragraphs(
      'Spent: 20.04 of 20.00 euro. The run was stopped between two steps; all work is on branch `sb/route-6-1`.',
      steps(
        'Done: event `locker_full` is consumed, neighbour search within 1 km, new plan for the remaining stops (14 s on the simulator, limit 30 s).',
        'Done: stops that are already served are never changed; property test with 10,000 cases.',
        'Open: the message to the recipient (template, one message per parcel), about 120 lines.',
        'Open: acceptance and replay gates.',
      ),
      'About 7 euro went into the property test, which found a wrong order of stops after two full lockers in one tour. Estimate for the rest: 6 to 9 euro. Raising the budget doubles it to 40 euro; what is not used is not spent.',
    ),
    options: [
      { id: 'raise', label: 'Raise the budget to 40 euro', action: 'raise_budget' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'route-locker-full',
    createdMinutesAgo: 545,
  },
  {
    kind: 'repeated_gate_failure',
    title: 'The replay gate failed three times for the savings heuristic',
    body: paragraphs(
      'The gate `replay` may fail twice in a run (gate_failure_budget 2); this was the third time. Start tours are 5.7 % shorter as wanted, but planning one depot takes too long at the 95th percentile (limit 45 s):',
      '| Attempt | 95th percentile | Change |\n|---|---|---|\n| 1 | 96.0 s | all pairs |\n| 2 | 63.7 s | pairs within 15 km |\n| 3 | 58.2 s | savings list sorted once |',
      'The rest of the time is in depot Moss (71.4 s), where 900 lockers lie close together. A limit of 40 neighbours per locker would cut the list from 405,000 to 36,000 entries; an estimate from a sample of five days gives about 33 s, with start tours 5.1 % shorter.',
      'Recommended: try again with the limit of neighbours. Spent: 12.29 of 20.00 euro.',
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
      'Main of route-planner is red since the merge of #134 (run of ROUTE-9). Both builds after it failed in the same test, the build before it was green.',
      '```\nplanner/dst.test.ts > plans the night of the clock change\n  expected 25 hourly matrices, received 24\n  key "moss:02" was used for two different hours\n```',
      list(
        'Cause: the cache key holds the local hour. In the night of the clock change 02:00 exists twice.',
        'The test was added to main by #133 while #134 was in verification; the gates ran without it.',
        'Nothing that was merged since builds on the cache; #136 (ROUTE-10) does not touch it.',
      ),
      'The revert applies cleanly, 24 added and 158 deleted lines. Fixing forward means UTC hours as key, about 15 lines, but main stays red for an hour or two.',
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
      'Plan approval is asked for by risk: the story is `l` with high complexity and changes every plan.',
      steps(
        'Add volumes to `model/vehicle.ts` and `model/parcel.ts`; unmeasured parcels get the median of their size class.',
        'Replace the count of 160 in `planner/capacity.ts` by 92 % of the load volume.',
        'Check the capacity at each insertion instead of at the end.',
        'Replay 90 days and compare the number of tours.',
      ),
      'About 350 lines in 7 files. Of the parcels of last month 11 % have no measured volume. Checking at each insertion costs time; from a sample it is about 2 s per depot.',
    ),
    run: 'route-load-volume',
    createdMinutesAgo: 11_384,
    answered: { by: 'kenji.morita@example.com', via: 'slack', minutesAgo: 11_352 },
  },
  {
    kind: 'budget_stop',
    title: 'The run for load volumes reached its budget of 10 euro',
    body: paragraphs(
      'Spent: 10.03 of 10.00 euro. All work is on branch `sb/route-2-1`.',
      steps(
        'Done: volume per parcel and vehicle, capacity check with a reserve of 8 %.',
        'Done: median of the size class for parcels without a measured volume.',
        'Open: the number of tours grew by 3.9 % on the 90-day set; the limit is 2 %. The insertion still tries vehicles in a fixed order instead of the fullest that fits.',
      ),
      'The replay takes 22 minutes and was run four times, which is most of the cost. Estimate for the rest: two more replays, 4 to 5 euro.',
    ),
    options: [
      { id: 'raise', label: 'Raise the budget to 20 euro', action: 'raise_budget' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'route-load-volume',
    createdMinutesAgo: 11_180,
    answered: { by: 'tomasz.wrobel@example.com', via: 'api', minutesAgo: 11_120 },
  },
  {
    kind: 'main_red_incident',
    title: 'Main of route-planner is red: the map fixture could not be loaded; merges are held',
    body: paragraphs(
      'Two builds of `main` failed in all 41 tests that use the map fixture. No merge lies between the last green and the first red build.',
      '```\nError: fixtures/map-south.bin: expected 18,874,368 bytes, got 131\n```',
      list(
        'The file of 131 bytes is a pointer of the large-file store: the build machine had no credentials for it after the rotation on the same day.',
        'No merge of the service is involved; nothing to revert.',
        'Held meanwhile: one merge (#113).',
      ),
      'The repair is outside the code: the new credentials have to be set on the build machine by a person. An expedite story could only add a better error message.',
    ),
    options: [
      { id: 'fix', label: 'File an expedite story', action: 'accept_proposal' },
      { id: 'leave', label: 'A person repairs it; keep merges held', action: 'decline_proposal' },
    ],
    recommendation: 'leave',
    createdMinutesAgo: 7_120,
    answered: { by: 'joris.vandijk@example.com', via: 'app', minutesAgo: 7_062 },
    note: 'Credentials set on build-01 to build-03. Main is green again.',
  },
  {
    kind: 'scope_change',
    title: 'Time windows: also plan the way into the building?',
    body: paragraphs(
      'The story asks that no stop at a business locker is planned outside its window. While planning it was found that the time at such a stop is also wrong: inside office buildings it takes 7.5 minutes on average, the planner uses 3. Of the 212 stops that failed last month, 31 began within the window and ended outside.',
      list(
        '**Wider scope:** also use the measured time per locker. It touches the cost of all stops and changes nearly every plan of the replay.',
        '**Original scope:** a stop has to begin and end within the window, with the present 3 minutes plus a margin of 5 at business lockers.',
      ),
      'Recommended is the original scope with the margin, because its effect can be judged by the replay alone. The measured times would be a story of their own.',
    ),
    options: [
      { id: 'keep', label: 'Keep the scope, add the margin', action: 'request_changes' },
      { id: 'widen', label: 'Approve the wider scope', action: 'approve_plan' },
      { id: 'reject', label: 'Reject and refine the story', action: 'reject' },
    ],
    run: 'route-time-windows',
    createdMinutesAgo: 5_270,
    answered: { by: 'kenji.morita@example.com', via: 'mcp', minutesAgo: 5_200 },
    note: 'Keep it small. Margin of 5 minutes is fine.',
  },
  {
    kind: 'budget_stop',
    title: 'The run for the depot simulation reached its budget of 20 euro',
    body: paragraphs(
      'Spent: 20.10 of 20.00 euro.',
      steps(
        'Done: reading recorded orders and plans of one day.',
        'Partly: playing the day. Drives and failures are played, changes by dispatchers are not in the recording at all.',
        'Open: the report, and the same result for the same seed. Two runs differ in 3 of 41 tours, because the improvement phase stops by wall time.',
      ),
      'The story turned out to be three: recording what is missing, playing, reporting. Estimate for the rest: 30 euro or more. Recommended is to abandon and to cut the story; the branch `sb/route-12-1` is kept for reference.',
    ),
    options: [
      { id: 'raise', label: 'Raise the budget to 40 euro', action: 'raise_budget' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    recommendation: 'abandon',
    run: 'route-simulate',
    createdMinutesAgo: 4_280,
    answered: { by: 'tomasz.wrobel@example.com', via: 'app', minutesAgo: 4_100 },
    note: 'Will be cut into three stories.',
  },
  {
    kind: 'maintenance_proposal',
    title: 'Move the planner tests to parallel processes',
    body: paragraphs(
      'Maintenance mode found that the unit tests of the planner run in one process (28 s) and the replay in another one after it (22 min). On the build machines 7 of 8 cores are idle meanwhile.',
      list(
        'The unit tests share a map fixture in memory; split over four processes each one loads it again (1.9 s). Expected: 11 s instead of 28 s.',
        'The replay could be split by depot. Expected: 4 to 5 min instead of 22. Its report has to be put together again.',
      ),
      'The gain is mostly in the replay. Memory per process is 1.4 GB, and the build machines have 8 GB, so that at most four can run beside the database.',
    ),
    options: [
      { id: 'accept', label: 'File it as a story', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline and do not propose again', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 8_150,
    answered: { by: 'amara.okafor@example.com', via: 'app', minutesAgo: 6_980, optionId: 'decline' },
    note: 'New build machines arrive next month; we measure again then.',
  },
  {
    kind: 'strategy_proposal',
    title: 'Plan tours over two depots together',
    body: paragraphs(
      'Source: `docs/planner-goals.md`, goal 4 ("depots close to each other should help each other"). Halden and Moss are 60 km apart and share 38 lockers that either could serve.',
      list(
        'A joint plan of the last 30 days, computed offline, has 2.7 % fewer kilometres and 1.1 % fewer tours.',
        'It needs vans that end at another depot than they started, on six days of the month.',
        'Planning both together takes 94 s instead of 2 x 38 s.',
      ),
      'Estimated size: one story `l` for the planner and one `m` for the dispatch screen. The gain is small and the shift plans of drivers would have to allow it, which is not a matter of the code.',
    ),
    options: [
      { id: 'accept', label: 'Send to intake as draft stories', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline the proposal', action: 'decline_proposal' },
    ],
    recommendation: 'decline',
    createdMinutesAgo: 12_700,
    closed: { status: 'expired', minutesAgo: 2_620 },
  },
]

import type { DemoStory } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'
import { github } from '../../shorthand/trackers.ts'

const issue = github('data-platform')

export const stories: DemoStory[] = [
  {
    number: 1,
    title: 'List every table that holds recipient data',
    description:
      'To erase personal data, we need to know where it is. The list in the wiki is two years old. Generate it from the schema and from column annotations, and fail the build when a new column with a personal name or address is not annotated.',
    acceptanceCriteria: [
      '`npm run inventory` writes `docs/personal-data.md` with table, column, purpose and retention.',
      'The build fails when a column whose name suggests personal data has no annotation.',
      'All 23 tables named in last year’s audit report are in the list.',
    ],
    demonstrate: steps(
      'Run `npm run inventory`: the file lists 31 tables.',
      'Add a column `recipient_email` to a test migration: the build fails and names it.',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'medium' },
    classOfService: 'fixed_date',
    tracker: issue(63),
    minutesAgo: { created: 12_850, updated: 12_108 },
  },
  {
    number: 2,
    title: 'Pseudonymise recipient names in the analytics export',
    description:
      'The weekly export to the analytics tool contains full names, though no report uses them. Replace names and email addresses with a keyed hash, so that repeat orders can still be counted.',
    acceptanceCriteria: [
      'The export contains no name, email address or telephone number.',
      'The same recipient has the same pseudonym in two exports of one quarter.',
      'The key is read from the secret store and is not written to any log.',
    ],
    demonstrate: steps(
      'Run `npm run export:analytics -- --dry-run` on the fixture of 1,000 orders.',
      'Search the file for `@`: no hit; the number of distinct pseudonyms is 871.',
    ),
    columnRole: 'done',
    estimate: { size: 's', complexity: 'medium' },
    tracker: issue(66),
    minutesAgo: { created: 12_840, updated: 10_260 },
  },
  {
    number: 3,
    title: 'Alert when the nightly load misses a partition',
    description:
      'Twice this year, the nightly load reported success although one of 31 depot partitions was empty. Compare the row counts with the average of the last 14 days and raise an alert when a partition is below 20% of it.',
    acceptanceCriteria: [
      'A partition below 20% of its 14-day average raises one alert with depot and counts.',
      'A depot that is closed on that day raises none.',
      'The alert is resolved when a later load fills the partition.',
    ],
    demonstrate: steps(
      'Load the fixture with depot Moss empty: one alert for Moss.',
      'Load the complete fixture: the alert is resolved.',
    ),
    columnRole: 'done',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(70),
    minutesAgo: { created: 12_830, updated: 8_480 },
  },
  {
    number: 4,
    title: 'Make parcel events idempotent on replay',
    description:
      'Replaying the event log after a failure doubles counters, because the consumer adds instead of comparing. Store the position of the last applied event per parcel and skip what is older.',
    acceptanceCriteria: [
      'Replaying a day twice gives the same tables as replaying it once.',
      'An event that arrives late is applied in its place.',
      'Throughput of the consumer falls by less than 10%.',
    ],
    demonstrate: steps(
      'Run `npm run replay -- --day fixture`, take the checksum, run it again.',
      'Both checksums are equal; `npm run bench:consumer` is within 10% of the base.',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'high' },
    tracker: issue(72),
    minutesAgo: { created: 12_820, updated: 5_700 },
  },
  {
    number: 5,
    title: 'Delete recipient data 30 days after an erasure request',
    description: paragraphs(
      'Erasure requests are handled by hand with 14 SQL statements. The oldest open one is 24 days old, and the law gives us one month. Build a job that deletes or blanks all annotated columns (DATA-1) of a recipient.',
      list(
        'Parcels under a customs hold are kept until the hold ends.',
        'Invoices are kept for as long as the law requires, with the name blanked in all other tables.',
      ),
    ),
    acceptanceCriteria: [
      'The nightly job processes every request older than 30 days.',
      'After the job no annotated column holds data of the recipient, except invoices and parcels under a customs hold.',
      'The job can be stopped and continued without deleting twice or leaving anything behind.',
      'The job runs with a database role that can only delete and update annotated columns.',
    ],
    demonstrate: steps(
      'Create the recipient `erase.me@shop.test` with 3 parcels, one under customs hold, and a request 31 days old.',
      'Run `npm run job:erasure`: two parcels are blanked, one is listed as held.',
      '`npm run inventory -- --find erase.me@shop.test` finds the invoice only.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'l', complexity: 'high' },
    classOfService: 'fixed_date',
    tracker: issue(75),
    minutesAgo: { created: 12_700, updated: 1_350 },
  },
  {
    number: 6,
    title: 'Index parcel events by recipient for erasure look-ups',
    description:
      'Finding all events of one recipient scans 410 million rows and takes 17 minutes. The erasure job needs it for each request. Add a look-up table by recipient, filled by the consumer and by a one-time backfill in batches.',
    acceptanceCriteria: [
      'All events of one recipient are found in less than 2 s on the full copy.',
      'The backfill runs in batches of 10,000 and can be stopped and continued.',
      'New events are in the look-up table within one second.',
    ],
    demonstrate: steps(
      'Run the backfill on the copy, stop it at 40% and start it again.',
      '`npm run inventory -- --find r-10442` answers in less than 2 s with 37 events.',
    ),
    columnRole: 'review',
    estimate: { size: 'l', complexity: 'high' },
    classOfService: 'fixed_date',
    tracker: issue(76),
    minutesAgo: { created: 12_600, updated: 1_700 },
  },
  {
    number: 7,
    title: 'Keep a proof of every erasure',
    description:
      'The regulator may ask us to show that a request was fulfilled, but the proof itself must not contain personal data. Store the request number, time, tables and row counts, and a hash of the subject with a key that’s destroyed after three years.',
    acceptanceCriteria: [
      'Each finished erasure has one proof with request number, time, tables and row counts.',
      'A proof holds no personal data in plain text.',
      'A proof cannot be changed or deleted by the role of the job.',
    ],
    demonstrate: steps(
      'Erase `erase.me@shop.test` on the copy and open the proof: 6 tables with counts.',
      'Search the proof for the email and the name: no hit.',
      'Try to delete it as `erasure_job`: permission denied.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'm', complexity: 'medium' },
    classOfService: 'fixed_date',
    tracker: issue(77),
    minutesAgo: { created: 12_550, updated: 470 },
  },
  {
    number: 8,
    title: 'Move to the supported warehouse client',
    description:
      'Version 3 of the warehouse client gets no fixes after the end of the year. Version 4 returns decimals as strings and closes idle connections. About 60 call sites. A question to finance about rounding went unanswered.',
    acceptanceCriteria: [
      'No package depends on version 3 of the client.',
      'Amounts in all reports match to the cent for the fixture’s month.',
      'A connection that was closed while idle is opened again without an error.',
    ],
    demonstrate: steps(
      'Run `npm ls warehouse-client`: only version 4.',
      'Run `npm run reports:compare -- --month fixture`: 0 differences.',
    ),
    columnRole: 'backlog',
    estimate: { size: 'm', complexity: 'medium' },
    classOfService: 'intangible',
    tracker: issue(79),
    minutesAgo: { created: 12_500, updated: 2_250 },
  },
  {
    number: 9,
    title: 'Retention rule for still images of locker cameras',
    description:
      'Stations with a camera store one still per opening, without an end date. The works council agreed on 72 hours, or 30 days for disputed openings. Delete by rule, and report what is kept and why.',
    acceptanceCriteria: [
      'Stills older than 72 hours are deleted within six hours.',
      'Stills of disputed openings are kept for 30 days.',
      'A weekly report lists the number of kept stills by reason.',
    ],
    columnRole: 'refining',
    estimate: { size: 'm', complexity: 'medium' },
    classOfService: 'fixed_date',
    tracker: issue(84),
    minutesAgo: { created: 11_000, updated: 1_930 },
  },
  {
    number: 10,
    title: 'Stop copying telephone numbers into the search index',
    description:
      'The support search indexes all fields of a parcel. Hardly anyone searches for telephone numbers (2 of 48,000 queries last month), but all 60 support accounts can read them. Leave them out, and remove them from the existing index.',
    acceptanceCriteria: [
      'A new parcel document has no telephone number.',
      'After the clean-up no document in the index has one.',
      'Searching by name, email address and parcel number works as before.',
    ],
    demonstrate: steps(
      'Index the fixture and search for +47 00 00 00 01: no hit.',
      'Search for the parcel number HP-00017731: one hit.',
    ),
    columnRole: 'ready',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(88),
    minutesAgo: { created: 9_900, updated: 3_720 },
  },
  {
    number: 11,
    title: 'Backfill the events dropped during the broker upgrade',
    description:
      'During the broker upgrade, 41 minutes of parcel events weren’t consumed. The gateway’s archive has them. Load them through the idempotent consumer (DATA-4) and compare the counts per depot.',
    acceptanceCriteria: [
      'All events of the window are in the event log exactly once.',
      'The counts per depot match the archive.',
      'Dashboards of the day are recomputed.',
    ],
    demonstrate: steps(
      'Run `npm run backfill -- --archive fixtures/broker-window.ndjson`: 18,204 events, 0 duplicates.',
      'Run it again: 0 events added.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 's', complexity: 'medium' },
    tracker: issue(93),
    minutesAgo: { created: 8_800, updated: 75 },
  },
  {
    number: 12,
    title: 'Load partner invoices from the new bucket layout',
    description:
      'From the first of next month, partners deliver invoices under `year/month/partner/` instead of in one folder. Returned to Backlog: there are no sample files of the new layout yet, so there is nothing to test against.',
    acceptanceCriteria: [
      'Invoices under the new layout are loaded within one hour of arrival.',
      'Files of the old layout are loaded until the end of the quarter.',
      'A file that is delivered twice is loaded once.',
    ],
    demonstrate: steps(
      'Put two sample files in the new layout and one in the old.',
      'After the next load the invoice table holds three rows.',
    ),
    columnRole: 'backlog',
    estimate: { size: 's', complexity: 'medium' },
    classOfService: 'fixed_date',
    tracker: issue(97),
    minutesAgo: { created: 8_000, updated: 6_700 },
  },
  {
    number: 13,
    title: 'Report the cost of each dataset',
    description:
      'The warehouse bill grew by 18% in two quarters and no one can say which dataset caused it. Attribute storage and query cost to datasets by label, once a week.',
    acceptanceCriteria: [
      'A weekly table lists storage and query cost per dataset.',
      'The sum differs from the bill by less than 2%.',
    ],
    columnRole: 'backlog',
    estimate: { complexity: 'medium' },
    classOfService: 'intangible',
    tracker: issue(104),
    minutesAgo: { created: 5_000, updated: 4_950 },
  },
  {
    number: 14,
    title: 'Answer access requests with one export file',
    description:
      'Recipients can ask what data we hold about them. It takes support about three hours to collect it from five systems. The inventory (DATA-1) names all columns; export them as one file, in plain language, ready for review by support.',
    acceptanceCriteria: [
      'The export holds every annotated column of the recipient with purpose and retention.',
      'It contains no data about other people, not even in free-text fields of shared parcels.',
      'The file is deleted seven days after it was created.',
    ],
    demonstrate: steps(
      'Run `npm run access-request -- --find r-10442` on the copy.',
      'The file lists 9 tables; the name of the sender of a shared parcel is masked.',
    ),
    columnRole: 'refining',
    draft: true,
    estimate: { size: 'm', complexity: 'medium' },
    minutesAgo: { created: 1_800, updated: 380 },
  },
]

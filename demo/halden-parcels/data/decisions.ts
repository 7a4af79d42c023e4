import type { DemoDecision } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'

export const decisions: DemoDecision[] = [
  {
    kind: 'policy_exception',
    title: 'Allow changes to two files under infra/terraform for the erasure job?',
    body: paragraphs(
      'The policy denies `infra/terraform/**`. Two criteria of the story cannot be met without it: the nightly schedule and a database role that may only delete and update annotated columns. This replaces the earlier question, which named only one file.',
      list(
        '`infra/terraform/prod.tf`: one `scheduled_job` block, 14 lines, nightly at 02:30.',
        '`infra/terraform/iam.tf`: role `erasure_job` with grants on 31 tables, generated from the inventory, 68 lines.',
      ),
      '```hcl\nresource "db_role" "erasure_job" {\n  grants = local.annotated_columns  # update, delete\n}\n```',
      'The run applies nothing: the plan output is attached to the pull request and a person applies it. Everything else (job, deletion order, customs hold) is done on branch `sb/data-5-1`. The oldest open request is due in six days.',
    ),
    options: [
      { id: 'allow', label: 'Allow both files for this run', action: 'allow_once' },
      { id: 'changes', label: 'Leave the files out, a person writes them', action: 'request_changes' },
      { id: 'reject', label: 'Reject and return the story', action: 'reject' },
    ],
    run: 'data-erasure',
    createdMinutesAgo: 980,
  },
  {
    kind: 'merge_approval',
    title: 'Merge #81: look-up of parcel events by recipient (823 changed lines)',
    body: paragraphs(
      'The change is verified but too large for the policy to merge on its own: 796 lines added and 27 deleted, with a limit of 400. 663 of the added lines are the backfill and its tests.',
      list(
        'Migration rehearsal on the full copy: 410 million rows in 3 h 12 min, longest lock 140 ms (limit 1 s). The first attempt held a lock for 94 s; the index is now built concurrently in a migration of its own.',
        'Look-up of one recipient: 310 ms instead of 17 min.',
        'Backfill stopped at 40% and continued: no duplicates, no gaps.',
        'Extra storage: 21 GB.',
      ),
      'Worth a look: `migrations/0152_recipient_lookup_index.sql` runs outside a transaction and must be rerun by hand if it’s interrupted; `docs/backfill.md` explains how. DATA-5 depends on this change.',
    ),
    run: 'data-recipient-index',
    createdMinutesAgo: 1_700,
  },
  {
    kind: 'diff_guard',
    title: 'The erasure proof change modified the acceptance spec',
    body: paragraphs(
      'The diff contains `.kanman/acceptance/data-7/proof.spec.ts`. The changed line narrows the search for personal data:',
      '```diff\n-    expect(JSON.stringify(proof)).not.toContain(subject.email)\n+    expect(JSON.stringify(proof.tables)).not.toContain(subject.email)\n```',
      'With the approved spec `ac-2` fails: the field `proof.details.requestedBy` holds the requester’s email address in plain text. That’s exactly what the criterion forbids. The other gates pass.',
      'Recommended: restore the spec and start a new attempt with the guidance to store only the request number; the email can be looked up through the request for as long as it exists. Spent: €3.56 of €10.00.',
    ),
    options: [
      { id: 'restore', label: 'Restore the spec and try again', action: 'revert_spec_and_retry' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'data-erasure-proof',
    createdMinutesAgo: 470,
  },
  {
    kind: 'maintenance_proposal',
    title: 'Partition the parcel event table by month before it blocks the nightly load',
    body: paragraphs(
      'Maintenance mode compared the last twelve weeks: `parcel_events` grows by 4.1% a week, and the nightly load by 3 minutes a week. It now ends at 05:10. After 06:00, the morning reports would read half-loaded data. At this rate, that’s about 16 weeks away.',
      list(
        '92% of all reads ask for the last 60 days.',
        'With monthly partitions, the load touches only one or two of them. On a copy it took 34 minutes instead of 161.',
        'The conversion can run online in batches, with the backfill tool from DATA-6. It takes about 9 hours, once.',
      ),
      'Estimated size: L, high complexity. Erasure (DATA-5) is not affected, because it deletes by recipient through the look-up table.',
    ),
    options: [
      { id: 'accept', label: 'File it as a story', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline and do not propose again', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 705,
    story: {
      title: 'Partition the parcel event table by month',
      description:
        '`parcel_events` grows by 4.1% a week and the nightly load by three minutes a week; in about 16 weeks the morning reports would read half-loaded data. Convert the table to monthly partitions, online and in batches, with the backfill tool from DATA-6.',
      acceptanceCriteria: [
        'New events are written to the partition of their month.',
        'The nightly load takes at most 40 minutes on the full copy.',
        'The conversion can be stopped and continued without duplicates or gaps.',
        'No lock on the table is held for longer than one second.',
      ],
      demonstrate: steps(
        'Convert the full copy in the test environment, stopping once at about 40%.',
        'Run the nightly load on it: it ends within 40 minutes and the row counts per day are as before.',
      ),
      size: 'l',
      complexity: 'high',
      classOfService: 'standard',
    },
  },
  {
    kind: 'policy_exception',
    title: 'Allow a change to infra/terraform/prod.tf for the erasure job?',
    body: paragraphs(
      'The policy denies `infra/terraform/**`. The erasure job has to run every night, and schedules of this repository are defined in `infra/terraform/prod.tf`.',
      list(
        'Needed: one `scheduled_job` block, 14 lines, nightly at 02:30.',
        'The run applies nothing; a person applies the plan.',
        'Without it, the job can only be started by hand, so `ac-1` isn’t met.',
      ),
      'The exception would apply to this run and this file only. Alternatively, leave the schedule out and have a person add it after the merge.',
    ),
    options: [
      { id: 'allow', label: 'Allow this file for this run', action: 'allow_once' },
      { id: 'changes', label: 'Leave the schedule out', action: 'request_changes' },
      { id: 'reject', label: 'Reject and return the story', action: 'reject' },
    ],
    run: 'data-erasure',
    createdMinutesAgo: 1_105,
    closed: { status: 'superseded', minutesAgo: 980 },
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for the erasure job',
    body: paragraphs(
      'This plan needs approval because of its risk: the job deletes personal data, which can’t be undone.',
      steps(
        'Order of deletion from the foreign keys of the 31 annotated tables; blank where a row must stay (invoices).',
        'One transaction per recipient; progress in `erasure_requests.step`, so that the job can be stopped and continued.',
        'Skip parcels with `customs_hold = true` and list them again each night.',
        'Dry run by default; `--execute` deletes.',
        'Test with 200 generated recipients: after the job the inventory finds invoices and held parcels only.',
      ),
      'About 480 lines in 8 files. Backups aren’t touched: they expire after 35 days, as the privacy notice says. The look-up by recipient from DATA-6 is used if it’s there.',
    ),
    run: 'data-erasure',
    createdMinutesAgo: 1_330,
    answered: { by: 'amara.okafor@example.com', via: 'app', minutesAgo: 1_240 },
    note: 'Dry run by default is important. Legal has reviewed the deletion order.',
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for the look-up of events by recipient',
    body: paragraphs(
      'This plan needs approval because of its risk: the story is L with high complexity and contains a migration of the largest table.',
      steps(
        'New table `recipient_lookup (recipient_id, event_id)`, written by the consumer in the same transaction as the event.',
        'Backfill in batches of 10,000 by primary key, position kept in `backfill_state`.',
        'Index after the backfill.',
        'Rehearsal on the full copy with a limit of 1 s for any lock.',
      ),
      'About 800 lines in 9 files, most of them tests. An index on the event table itself would take 38 GB and slow writes by 12%, compared with 21 GB and 3% for the look-up table.',
    ),
    run: 'data-recipient-index',
    createdMinutesAgo: 2_480,
    answered: { by: 'leila.haddad@example.com', via: 'api', minutesAgo: 2_400 },
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for the inventory of personal data',
    body: paragraphs(
      'The policy requires approval of every plan.',
      steps(
        'Annotate columns by SQL comments (`@personal purpose=… retention=…`), so that the annotation lives with the schema.',
        'Read schema and comments from a fresh database built by the migrations.',
        'Write `docs/personal-data.md`; fail when the file differs from what is generated.',
        'Fail when a column name contains one of 22 words (name, email, phone, street …) and has no annotation.',
      ),
      'About 310 lines in 6 files. 31 tables are annotated as part of the change; purpose and retention come from last year’s audit report and should be reviewed by a person.',
    ),
    run: 'data-inventory',
    createdMinutesAgo: 12_480,
    answered: { by: 'amara.okafor@example.com', via: 'app', minutesAgo: 12_400 },
    note: 'I’ll go over purpose and retention with legal before the merge.',
  },
  {
    kind: 'merge_approval',
    title: 'Merge #55: inventory of every table with recipient data',
    body: paragraphs(
      'Gates: denied paths, type check, 517 unit tests, 3 of 3 criteria. 309 added and 4 deleted lines in 6 files.',
      list(
        '31 tables are listed, including all 23 from the audit report. The other eight were added since.',
        'A test migration with `recipient_email` and no annotation fails the build and names table and column.',
        'Retention is stated for 27 tables. For four it reads "not decided": `locker_stills`, `support_notes`, `returns_photos`, `call_log`.',
      ),
      'The four without a retention don’t block the merge. The list shows them at the top so that they aren’t forgotten.',
    ),
    run: 'data-inventory',
    createdMinutesAgo: 12_200,
    answered: { by: 'amara.okafor@example.com', via: 'app', minutesAgo: 12_110 },
    note: 'Reviewed with legal. locker_stills gets its own story.',
  },
  {
    kind: 'clarification',
    title: 'How should amounts be rounded with the new warehouse client?',
    body: paragraphs(
      'The coding agent asks: version 4 of the client returns decimals as strings. The reports calculate with numbers and round at the end. With exact decimals, 14 of the fixture’s 3,200 monthly totals differ by one cent from what was published.',
      list(
        'Round half up to the cent at the end, as published: no differences, but the exact value is lost.',
        'Keep exact decimals: totals are right, and 14 published figures change by one cent.',
      ),
      'The criterion says that amounts are equal to the cent, which suggests the first. Finance may prefer the second for next year. The answer affects about 60 call sites.',
    ),
    options: [
      { id: 'published', label: 'Round as published', action: 'answer' },
      { id: 'exact', label: 'Keep exact decimals', action: 'answer' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'data-warehouse-client',
    createdMinutesAgo: 12_330,
    closed: { status: 'expired', minutesAgo: 2_250 },
  },
  {
    kind: 'policy_exception',
    title: 'Allow a change to one file under infra/terraform for the invoice job?',
    body: paragraphs(
      'The policy denies `infra/terraform/**`. One criterion of the story cannot be met without it: the nightly schedule of the job that reads the new bucket.',
      list('`infra/terraform/prod.tf`: one `scheduled_job` block, 12 lines, nightly at 03:10.'),
      'The run applies nothing: the plan output is attached to the pull request and a person applies it. Everything else is done on branch `sb/data-12-1`.',
    ),
    options: [
      { id: 'allow', label: 'Allow the file for this run', action: 'allow_once' },
      { id: 'changes', label: 'Leave the files out, a person writes them', action: 'request_changes' },
      { id: 'reject', label: 'Reject and return the story', action: 'reject' },
    ],
    recommendation: 'changes',
    run: 'data-invoices',
    createdMinutesAgo: 6_960,
    answered: { by: 'joris.vandijk@example.com', via: 'app', minutesAgo: 6_930 },
    note: 'I write the schedule together with the bucket. Leave infra/terraform alone.',
  },
  {
    kind: 'gate_failure',
    title: 'No working acceptance spec for the new bucket layout',
    body: paragraphs(
      'Before implementation starts, the acceptance spec must exist and fail for the right reason. Three drafts were written, and all of them fail while loading their fixture, not in an assertion.',
      list(
        'The repository holds no file in the new layout, only the announcement with one example path.',
        'Partner names in paths: the announcement shows `shop-a`, the contract table uses numbers. We don’t know which one will be sent.',
        'A made-up fixture would make the spec pass without saying anything about real deliveries.',
      ),
      'Recommended: end the run, ask the partner for two sample files, and start again with them. Spent: €1.57 of €10.00.',
    ),
    options: [
      { id: 'retry', label: 'Try again with made-up files', action: 'retry' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    recommendation: 'abandon',
    run: 'data-invoices',
    createdMinutesAgo: 6_890,
    answered: { by: 'amara.okafor@example.com', via: 'slack', minutesAgo: 6_700 },
    note: 'They’ve promised sample files for next week.',
  },
]

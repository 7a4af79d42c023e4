import type { DemoDecision } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'

export const decisions: DemoDecision[] = [
  {
    kind: 'gate_failure',
    title: 'No working acceptance spec for the monthly statement',
    body: paragraphs(
      'Since policy version 2 the acceptance spec is required for this team. Writing one that works failed twice.',
      steps(
        'Draft 1 compares the sum of the CSV file with the accounting stub. The stub answers with a fixed amount of 0.00, so the spec passes on an empty file.',
        'Draft 2 reads the invoice PDF of the fixture. The amount is part of an image and cannot be read.',
      ),
      'What would help is a stub that returns the invoice total of a month. The accounting service has such a route (`GET /invoices/{month}/total`), but its recorded answers are not in the repository. With three recorded answers the spec can be written as the criteria say. Spent: 1.34 of 3.00 euro.',
    ),
    options: [
      { id: 'retry', label: 'Try again with recorded answers in the note', action: 'retry' },
      { id: 'changes', label: 'Continue with my guidance', action: 'request_changes' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'part-statement',
    createdMinutesAgo: 3_050,
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for the list of open parcels',
    body: paragraphs(
      'The policy asks for approval of every plan.',
      steps(
        'Query open parcels by partner id from the session, never from the address (`app/parcels/query.ts`).',
        'Page with 50 rows, newest first, keyset by creation time.',
        'Answer 404 for a parcel of another partner, so that its existence is not told.',
        'Tests with two partners.',
      ),
      'About 190 lines in 4 files. An index on `(partner_id, created_at)` exists. The page shows recipient telephone numbers as the present detail page does; masking them is PART-2.',
    ),
    run: 'part-open-parcels',
    createdMinutesAgo: 10_985,
    answered: { by: 'leila.haddad@example.com', via: 'app', minutesAgo: 10_900 },
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for masked telephone numbers',
    body: paragraphs(
      'The policy asks for approval of every plan.',
      steps(
        'Mask in the query layer (`app/parcels/query.ts`), so that the full number never leaves the server.',
        'Helper `lib/mask.ts`: last three digits, everything else replaced; numbers with fewer than five digits are masked completely.',
        'Test list, detail page and download.',
      ),
      'About 45 lines in 3 files. The detail page uses the full number for a call link at present; the link is removed, as the criteria demand that the full number is part of no response.',
    ),
    run: 'part-mask-phone',
    createdMinutesAgo: 8_885,
    answered: { by: 'leila.haddad@example.com', via: 'slack', minutesAgo: 8_850 },
    note: 'Removing the call link is agreed with support.',
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for the monthly statement',
    body: paragraphs(
      'The policy asks for approval of every plan.',
      steps(
        'Read booked items of a closed month from the ledger view, ordered by booking time.',
        'Write CSV in UTF-8 with a header row; amounts in cents are printed with two decimals.',
        'Offer a month only when its invoice has the state `final`.',
        'Acceptance: sum of the file equals the invoice.',
      ),
      'About 160 lines in 5 files. Credit notes are booked as negative items and are therefore part of the sum. Open in the acceptance spec: where the invoice total comes from in tests.',
    ),
    run: 'part-statement',
    createdMinutesAgo: 3_385,
    answered: { by: 'amara.okafor@example.com', via: 'mcp', minutesAgo: 3_300 },
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for the bulk upload of labels',
    body: paragraphs(
      'The policy asks for approval of every plan.',
      steps(
        'Accept CSV up to 1 MB and 1,000 rows; read it as a stream.',
        'Check all rows first; report row and column of the first 50 errors.',
        'Create labels in one transaction, keyed by a hash of the file, so that the same file creates them once.',
        'Show the result with a link to the labels as one PDF.',
      ),
      'About 260 lines in 6 files. The expected columns are those of the present form. Semicolon or comma is recognised from the header row.',
    ),
    run: 'part-bulk-labels',
    createdMinutesAgo: 4_985,
    answered: { by: 'leila.haddad@example.com', via: 'app', minutesAgo: 4_930 },
  },
  {
    kind: 'clarification',
    title: 'Which file format are partners promised for the bulk upload?',
    body: paragraphs(
      'Question of the coding agent: the story says CSV. The contract of the two largest partners, linked from the tracker, speaks of "the usual spreadsheet formats".',
      list(
        'CSV only: as planned, 260 lines, no new dependency.',
        'CSV and spreadsheet files: one dependency of 2.4 MB, which unpacks compressed files and needs a limit against very large contents; about 140 more lines.',
      ),
      'Both partners could export CSV. When spreadsheet files are promised, the checks of rows have to work on typed cells, and it is cheaper to write them so from the beginning.',
    ),
    options: [
      { id: 'csv', label: 'CSV only', action: 'answer' },
      { id: 'spreadsheet', label: 'CSV and spreadsheet files', action: 'answer' },
    ],
    run: 'part-bulk-labels',
    createdMinutesAgo: 4_880,
    closed: { status: 'cancelled', minutesAgo: 4_600 },
  },
]

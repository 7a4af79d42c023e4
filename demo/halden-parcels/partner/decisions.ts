import type { DemoDecision } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'

export const decisions: DemoDecision[] = [
  {
    kind: 'gate_failure',
    title: 'No working acceptance spec for the monthly statement',
    body: paragraphs(
      'Since policy version 2, this team requires an acceptance spec. Two drafts didn’t work.',
      steps(
        'Draft 1 compares the sum of the CSV file with the accounting stub. The stub always returns 0.00, so the spec passes with an empty file.',
        'Draft 2 reads the invoice PDF of the fixture. The amount is part of an image and cannot be read.',
      ),
      'What we need is a stub that returns a month’s invoice total. The accounting service has such a route (`GET /invoices/{month}/total`), but no recorded responses are in the repository. With three of them, the spec can be written as the criteria say. Spent: €1.34 of €3.00.',
    ),
    options: [
      { id: 'retry', label: 'Try again with recorded responses in the note', action: 'retry' },
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
      'The policy requires approval of every plan.',
      steps(
        'Query open parcels by partner id from the session, never from the address (`app/parcels/query.ts`).',
        'Page with 50 rows, newest first, keyset by creation time.',
        'Answer 404 for another partner’s parcel, so that its existence isn’t revealed.',
        'Tests with two partners.',
      ),
      'About 190 lines in 4 files. An index on `(partner_id, created_at)` exists. Like the current detail page, it shows recipients’ telephone numbers; masking them is PART-2.',
    ),
    run: 'part-open-parcels',
    createdMinutesAgo: 10_985,
    answered: { by: 'leila.haddad@example.com', via: 'app', minutesAgo: 10_900 },
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for masked telephone numbers',
    body: paragraphs(
      'The policy requires approval of every plan.',
      steps(
        'Mask in the query layer (`app/parcels/query.ts`), so that the full number never leaves the server.',
        'Helper `lib/mask.ts`: last three digits, everything else replaced; numbers with fewer than five digits are masked completely.',
        'Test list, detail page and download.',
      ),
      'About 45 lines in 3 files. The detail page currently uses the full number for a call link. The link is removed, because the criteria say that no response may contain the full number.',
    ),
    run: 'part-mask-phone',
    createdMinutesAgo: 8_885,
    answered: { by: 'leila.haddad@example.com', via: 'slack', minutesAgo: 8_850 },
    note: 'Support is fine with removing the call link.',
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for the monthly statement',
    body: paragraphs(
      'The policy requires approval of every plan.',
      steps(
        'Read booked items of a closed month from the ledger view, ordered by booking time.',
        'Write CSV in UTF-8 with a header row; amounts in cents are printed with two decimals.',
        'Offer a month only when its invoice has the state `final`.',
        'Acceptance: sum of the file equals the invoice.',
      ),
      'About 160 lines in 5 files. Credit notes are booked as negative items, so they’re part of the total. Still open in the acceptance spec: where tests get the invoice total from.',
    ),
    run: 'part-statement',
    createdMinutesAgo: 3_385,
    answered: { by: 'amara.okafor@example.com', via: 'mcp', minutesAgo: 3_300 },
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for the bulk upload of labels',
    body: paragraphs(
      'The policy requires approval of every plan.',
      steps(
        'Accept CSV up to 1 MB and 1,000 rows; read it as a stream.',
        'Check all rows first; report row and column of the first 50 errors.',
        'Create labels in one transaction, keyed by a hash of the file, so that the same file creates them once.',
        'Show the result with a link to the labels as one PDF.',
      ),
      'About 260 lines in 6 files. The expected columns are those of the current form. Semicolons or commas are detected from the header row.',
    ),
    run: 'part-bulk-labels',
    createdMinutesAgo: 4_985,
    answered: { by: 'leila.haddad@example.com', via: 'app', minutesAgo: 4_930 },
  },
  {
    kind: 'clarification',
    title: 'Which file formats do we promise partners for the bulk upload?',
    body: paragraphs(
      'The coding agent asks: the story says CSV, but the contract with the two largest partners, linked from the tracker, says "the usual spreadsheet formats".',
      list(
        'CSV only: as planned, 260 lines, no new dependency.',
        'CSV and spreadsheet files: one 2.4 MB dependency, which unpacks compressed files and needs a size limit; about 140 more lines.',
      ),
      'Both partners could export CSV. If we promise spreadsheet files, the row checks must work on typed cells, and it’s cheaper to write them that way from the start.',
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

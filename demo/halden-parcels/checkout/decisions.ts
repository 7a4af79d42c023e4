import type { DemoDecision } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'

export const decisions: DemoDecision[] = [
  {
    kind: 'plan_approval',
    title: 'Approve the plan for a second payment provider behind one interface',
    body: paragraphs(
      'Plan approval is asked for because the story is `xl` with high complexity and touches `src/payment`.',
      steps(
        'Define `PaymentProvider` in `src/payment/provider.ts` (authorise, capture, release, refund).',
        'Move the present client to `src/payment/providers/primary.ts` without a change of behaviour. 11 call sites in 7 files.',
        'Write the contract tests from the recorded calls of the primary stub, then the secondary client against them.',
        'Add the column `orders.payment_provider` (migration 0088, default `primary`), so that capture and refund find their provider.',
        'Read `payment.provider` from the settings service, cached for 10 s.',
      ),
      'Estimated change: about 900 added and 260 deleted lines in 19 files. Risk: step 4 writes to `orders` (2.1 million rows); the default is set without a rewrite. No failover on errors is built, as the story demands.',
    ),
    run: 'web-second-provider',
    createdMinutesAgo: 415,
  },
  {
    kind: 'verification_failed',
    title: 'Verification of the split order failed again after the automatic rework',
    body: paragraphs(
      'Three of four criteria pass. `ac-3` failed in both attempts: when the second locker refuses, the reservation in the first one is still held after 5 s.',
      '```\nsplit.spec.ts > releases the first locker when the second refuses\n  expected reservations of HP-0417 to be empty after 5000 ms\n  received [{ id: "res-1", state: "releasing" }]\n```',
      'The cause is known: `reservations/compensate.ts` sends the release to a queue whose consumer runs every 15 s. The first attempt did not send it at all; the second sends it, but too late for the criterion. A direct call to `DELETE /reservations/:id` takes about 200 ms on the stub, with the queue as fallback when it fails.',
      'Recommended: one more attempt with that guidance. Spent so far: 10.38 of 15.00 euro.',
    ),
    options: [
      { id: 'retry', label: 'Try again with a direct release call', action: 'retry' },
      { id: 'changes', label: 'Continue with my guidance', action: 'request_changes' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'web-split-order',
    createdMinutesAgo: 395,
  },
  {
    kind: 'clarification',
    title: 'Release a duplicate authorisation when the order was cancelled by the recipient?',
    body: paragraphs(
      'Question of the coding agent: of the 118 orders with two authorisations, nine were cancelled by the recipient before shipping. For these the story does not say what to do.',
      list(
        '109 orders: one authorisation was captured, the other is open. Release the open one (as specified).',
        '9 orders: cancelled, both authorisations are open, together 412.70 euro. Our cancel job releases only the first one it finds.',
      ),
      'Both authorisations of a cancelled order could be released by the script. Alternatively the nine go to the list for support, who would call the gateway by hand. The settlement file shows no capture for any of the nine, so releasing both carries no risk of releasing a paid amount.',
    ),
    options: [
      { id: 'both', label: 'Release both authorisations of cancelled orders', action: 'answer' },
      { id: 'support', label: 'List cancelled orders for support', action: 'answer' },
      { id: 'abandon', label: 'End the run, finance does it by hand', action: 'abandon' },
    ],
    run: 'web-duplicates',
    createdMinutesAgo: 1_805,
  },
  {
    kind: 'maintenance_proposal',
    title: 'Replace the unmaintained date library in checkout',
    body: paragraphs(
      'Maintenance mode found that `datefmt-lite` 1.8.2 has had no release for 31 months and that advisory ADV-2291 (denial of service by a long format string) stays open. It is used in 23 files, for four purposes:',
      list(
        'format a date for display (17 files): `Intl.DateTimeFormat` does the same',
        'add days (3 files): a helper of five lines',
        'compare two dates (2 files): plain comparison',
        'parse the delivery date of the locker service (1 file): always ISO 8601',
      ),
      'Without the library the checkout bundle shrinks by about 19 kB compressed. Format strings come from our own code only, so the advisory cannot be reached from outside; this is upkeep, not an emergency. Estimated size: `s`, about 180 changed lines.',
    ),
    options: [
      { id: 'accept', label: 'File it as a story', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline and do not propose again', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 1_980,
    story: {
      title: 'Replace datefmt-lite in checkout',
      description:
        '`datefmt-lite` 1.8.2 has had no release for 31 months and advisory ADV-2291 stays open. It is used in 23 files for four purposes, all of which the platform or a small helper can serve. Remove it without a visible change.',
      acceptanceCriteria: [
        '`datefmt-lite` is in neither `package.json` nor the lock file.',
        'Every date on the basket, payment and order pages reads as before in all five languages.',
        'The compressed checkout bundle is at least 15 kB smaller.',
      ],
      demonstrate: steps(
        'Open the order page of the test shop in Norwegian and in Dutch: the pickup date reads as in the recorded picture.',
        'Run `npm run size`: the bundle is smaller by 15 kB or more.',
      ),
      size: 's',
      complexity: 'low',
      classOfService: 'intangible',
    },
  },
  {
    kind: 'strategy_proposal',
    title: 'Offer a paid evening pickup guarantee at checkout',
    body: paragraphs(
      'Source: `docs/strategy/next-year.md`, section "Convenience that people pay for", which names evening delivery as goal 2 and asks for a test in two towns before the summer.',
      'Proposal: for lockers in Halden and Moss, offer "ready for pickup by 18:00" for 1.50 euro when the order is placed before 11:00. Checkout has what it needs (locker data, the area service); the planner already respects time windows (ROUTE-5).',
      list(
        'New: the option in the basket, a flag on the parcel, a refund job when the time is missed.',
        'Not included: changes of the planner beyond the flag.',
        'Measure: share of orders with the option, share of refunds. Stop below 3 % or above 10 % refunds.',
      ),
      'Estimated size: three stories (`s`, `m`, `s`). Accepting sends the proposal to intake as a draft; nothing is started.',
    ),
    options: [
      { id: 'accept', label: 'Send to intake as draft stories', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline the proposal', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 2_700,
  },
  {
    kind: 'diff_guard',
    title: 'The implementation of the session basket changed the acceptance spec',
    body: paragraphs(
      'The diff contains `.kanman/acceptance/web-8/basket.spec.ts`, which is a denied path for every policy. One assertion was removed:',
      '```diff\n-    expect(response.status).toBe(404)\n+    // foreign ids are handled by the session layer\n```',
      'It belongs to `ac-2` (a basket of another browser cannot be read). Without it the spec passes; with it the present implementation answers 200 with an empty basket instead of 404. So the removal hides a real difference from the criterion.',
      'Recommended: restore the approved spec and start a new attempt. The guidance would be to answer 404 in `src/basket/store.ts` when the id in the cookie does not match.',
    ),
    options: [
      { id: 'restore', label: 'Restore the spec and try again', action: 'revert_spec_and_retry' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'web-session-basket',
    createdMinutesAgo: 8_602,
    answered: { by: 'tomasz.wrobel@example.com', via: 'app', minutesAgo: 8_520 },
    note: 'The 404 is the point of ac-2. Please keep it.',
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for the retry of card authorisations',
    body: paragraphs(
      'Plan approval is asked for by risk: the story changes `src/payment/authorise.ts`.',
      steps(
        'Tell timeouts from declines in `src/payment/errors.ts`; the gateway client throws the same class for both today.',
        'Add `src/payment/retry.ts`: one retry, after 2 s, on timeout only.',
        'Count retries in `payment_auth_retries_total`.',
        'Write `payment-retry.spec.ts` with a stub that answers late.',
      ),
      'Estimated change: 150 lines in 5 files. Known limit: the recipient waits up to 22 s in the worst case (two timeouts of 10 s and the pause). The page already shows a progress message after 5 s.',
    ),
    run: 'web-auth-retry',
    createdMinutesAgo: 7_585,
    answered: { by: 'amara.okafor@example.com', via: 'slack', minutesAgo: 7_540 },
  },
  {
    kind: 'verification_failed',
    title: 'Verification of the authorisation retry failed after the automatic rework',
    body: paragraphs(
      'All three criteria pass, but one unit test failed on the build machine:',
      '```\npayment-retry.spec.ts > waits 2 s before the retry\n  expected 2000 ms (tolerance 250), got 2741 ms\n```',
      'The test measures real time. The same commit passed on a second run of the gate, 1,236 of 1,236. The implementation is probably right and the test too strict for a machine under load; widening the tolerance to 1,000 ms makes it pass but weakens what it shows.',
      'Recommended: try again with a tolerance of 1,000 ms, and file a story to make the test independent of the clock.',
    ),
    options: [
      { id: 'retry', label: 'Try again with a wider tolerance', action: 'retry' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'web-auth-retry',
    createdMinutesAgo: 7_380,
    answered: { by: 'kenji.morita@example.com', via: 'app', minutesAgo: 7_310 },
    note: 'Wider tolerance is fine for now. I will write the story for the clock.',
  },
  {
    kind: 'maintenance_proposal',
    title: 'Start the expedite fix for the doubled card authorisations?',
    body: paragraphs(
      'Incident inc-7q2d on service checkout-api, severity high: the share of orders with two authorisations rose from 0 to 4.6 % within 25 minutes.',
      list(
        'No merge within the last 24 hours touches the payment code; there is no suspect merge to revert.',
        'The gateway answers slowly (median 9.4 s, usually 0.6 s). The retry of WEB-12 then sends a second call while the first is still authorised.',
        'The call carries no idempotency key. The gateway supports one.',
      ),
      'Fix in question: send one `Idempotency-Key` per payment attempt, about 90 lines in `src/payment`. Until it is live, each slow answer can reserve the amount twice on a card. Accepting also approves this plan.',
    ),
    options: [
      { id: 'start', label: 'File an expedite story and start the fix', action: 'accept_proposal' },
      { id: 'leave', label: 'Leave it to the person on call', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 5_735,
    answered: { by: 'kenji.morita@example.com', via: 'slack', minutesAgo: 5_722 },
    note: 'On it as well. Retry is switched off by flag until this is merged.',
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for translations per language',
    body: paragraphs(
      'Plan approval is asked for by risk: the story is `l` with high complexity.',
      steps(
        'Split `src/i18n/messages.ts` (1,240 lines) into one file per language.',
        'Load the file of the page language in `src/i18n/load.ts`; keep it for the session.',
        'Let the server put the messages of the first paint into the page.',
        'Check the size of the bundle in the build: fail above 500 kB.',
      ),
      'About 400 added lines in 6 files, besides the moved ones. Known risk: the template engine of the server renders synchronously. The plan assumes that messages can be read before rendering starts; whether that holds for nested templates has not been tried.',
    ),
    run: 'web-translations',
    createdMinutesAgo: 6_782,
    answered: { by: 'kenji.morita@example.com', via: 'mcp', minutesAgo: 6_751 },
    note: 'If nested templates are a problem, stop and say so.',
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for orders split over two lockers',
    body: paragraphs(
      'Plan approval is asked for by risk: the story is `l` with high complexity.',
      steps(
        'Search pairs of lockers within 2 km when no single one fits (`src/lockers/split.ts`); at most 40 pairs are tried.',
        'Reserve the first locker, then the second; release the first when the second refuses (`src/reservations/compensate.ts`).',
        'Show both addresses and one total before payment.',
        'One pickup code per locker in the confirmation.',
      ),
      'About 520 added lines in 9 files. Three or more lockers are not offered. The price stays that of one order, as the story says; the second stop costs about 0.40 euro by the figures of route planning.',
    ),
    run: 'web-split-order',
    createdMinutesAgo: 684,
    answered: { by: 'amara.okafor@example.com', via: 'app', minutesAgo: 661 },
  },
  {
    kind: 'merge_approval',
    title: 'Merge #447: postcode check against the delivery area',
    body: paragraphs(
      'All gates passed on the head commit: type check, 1,263 unit tests, 3 of 3 acceptance criteria, acceptance spec unchanged. Since policy version 4 every merge of this team is asked for.',
      list(
        '231 added and 28 deleted lines in 7 files; the largest is `PostcodeField.tsx` with 74.',
        'One new outgoing call: `GET /areas/{postcode}`, limited to 500 ms, with a cache of 10 minutes.',
        'The server check in `src/orders/create.ts` is behind the flag `area_check_on_server`, off by default.',
      ),
      'Remaining risk: when the area service is down for long, orders outside the area pass as they do today. The flag can be turned on after the first days.',
    ),
    run: 'web-postcode',
    createdMinutesAgo: 2_180,
    answered: { by: 'leila.haddad@example.com', via: 'slack', minutesAgo: 2_050 },
    note: 'Flag goes on with the next release.',
  },
  {
    kind: 'strategy_proposal',
    title: 'Propose a subscription for frequent senders',
    body: paragraphs(
      'Source: `docs/strategy/next-year.md`, section "Regular customers". The notes mention a flat monthly price for private people who send more than four parcels a month.',
      list(
        'About 6,200 accounts would qualify by the orders of the last quarter.',
        'Needed in checkout: a plan page, a recurring payment, a price of zero in the basket, an end of the contract by one click.',
        'Recurring payments are not part of the present contract with the gateway.',
      ),
      'Estimated size: seven or more stories over two teams. The notes call it "an idea, not before the second provider is live", so the recommendation is to decline for now.',
    ),
    options: [
      { id: 'accept', label: 'Send to intake as draft stories', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline the proposal', action: 'decline_proposal' },
    ],
    recommendation: 'decline',
    createdMinutesAgo: 10_000,
    answered: { by: 'ines.carvalho@example.com', via: 'app', minutesAgo: 8_300 },
    note: 'Not before the second provider. Ask again when it is live.',
  },
  {
    kind: 'maintenance_proposal',
    title: 'Remove 14 feature flags that have been on for everyone for a year',
    body: paragraphs(
      'Maintenance mode found 14 flags in `src/flags.ts` that have had the value `true` in all environments for more than twelve months, among them `new_basket_layout`, `locker_list_v2` and `guest_checkout`.',
      'Their dead branches hold 1,130 lines in 41 files, and 62 tests that can no longer fail for a reason. Removing them is mechanical, but it touches nearly every page of checkout, so that open branches would conflict.',
      'Suggested order: four stories of three to four flags each, the smallest first. Estimated cost of a run: about 4 euro each.',
    ),
    options: [
      { id: 'accept', label: 'File it as stories', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline and do not propose again', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 12_400,
    closed: { status: 'expired', minutesAgo: 2_320 },
  },
]

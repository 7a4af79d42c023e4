import type { DemoDecision } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'

export const decisions: DemoDecision[] = [
  {
    kind: 'plan_approval',
    title: 'Approve the plan for a second payment provider',
    body: paragraphs(
      'This plan needs approval because the story is XL with high complexity and touches `src/payment`.',
      steps(
        'Define `PaymentProvider` in `src/payment/provider.ts` (authorise, capture, release, refund).',
        'Move the current client to `src/payment/providers/primary.ts` without changing its behaviour. 11 call sites in 7 files.',
        'Write the contract tests from the recorded calls of the primary stub, then the secondary client against them.',
        'Add the column `orders.payment_provider` (migration 0088, default `primary`), so that captures and refunds go to the right provider.',
        'Read `payment.provider` from the settings service, cached for 10 s.',
      ),
      'Estimated change: about 900 lines added and 260 deleted in 19 files. Risk: step 4 changes `orders` (2.1 million rows), but setting the default doesn’t rewrite the table. As the story asks, there is no automatic failover.',
    ),
    run: 'web-second-provider',
    // First in the inbox for as long as a template of the day lives: README.md begins with it.
    expiresInMinutes: 1_500,
    createdMinutesAgo: 415,
  },
  {
    kind: 'verification_failed',
    title: 'Verification of split orders failed again after the automatic rework',
    body: paragraphs(
      'Three of four criteria pass. `ac-3` failed in both attempts: when the second locker refuses, the first reservation is still there after 5 s.',
      '```\nsplit.spec.ts > releases the first locker when the second refuses\n  expected reservations of HP-0417 to be empty after 5000 ms\n  received [{ id: "res-1", state: "releasing" }]\n```',
      'We know why: `reservations/compensate.ts` puts the release on a queue that is read every 15 s. The first attempt didn’t send it at all; the second does, but too late. A direct call to `DELETE /reservations/:id` takes about 200 ms on the stub, with the queue as a fallback.',
      'Recommended: one more attempt with that guidance. Spent so far: €10.38 of €15.00.',
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
    title: 'Release duplicate authorisations of cancelled orders?',
    body: paragraphs(
      'The coding agent asks: of the 118 orders with two authorisations, recipients cancelled nine before shipping. The story doesn’t say what to do with those.',
      list(
        '109 orders: one authorisation was captured and the other is open. Release the open one, as the story says.',
        '9 orders: cancelled, with both authorisations open, €412.70 in total. Our cancellation job releases only the first one it finds.',
      ),
      'The script could release both, or list the nine for support, who would call the gateway by hand. The settlement file shows no capture for any of them, so releasing both is safe.',
    ),
    options: [
      { id: 'both', label: 'Release both authorisations of cancelled orders', action: 'answer' },
      { id: 'support', label: 'List cancelled orders for support', action: 'answer' },
      { id: 'abandon', label: 'End the run; finance does it by hand', action: 'abandon' },
    ],
    run: 'web-duplicates',
    createdMinutesAgo: 1_805,
  },
  {
    kind: 'maintenance_proposal',
    title: 'Replace the unmaintained date library in checkout',
    body: paragraphs(
      'Maintenance mode found that `datefmt-lite` 1.8.2 hasn’t had a release in 31 months and that advisory ADV-2291 (denial of service through a long format string) is still open. It is used in 23 files, for four purposes:',
      list(
        'format a date for display (17 files): `Intl.DateTimeFormat` does the same',
        'add days (3 files): a five-line helper',
        'compare two dates (2 files): plain comparison',
        'parse the delivery date from the locker service (1 file): always ISO 8601',
      ),
      'Without the library, the checkout bundle shrinks by about 19 kB compressed. Format strings come only from our own code, so the advisory can’t be exploited from outside. This is maintenance, not an emergency. Estimated size: S, about 180 changed lines.',
    ),
    options: [
      { id: 'accept', label: 'File it as a story', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline and do not propose again', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 1_980,
    story: {
      title: 'Replace datefmt-lite in checkout',
      description:
        '`datefmt-lite` 1.8.2 hasn’t had a release in 31 months, and advisory ADV-2291 is still open. It is used in 23 files for four purposes, all of which the platform or a small helper can cover. Remove it without visible changes.',
      acceptanceCriteria: [
        '`datefmt-lite` is in neither `package.json` nor the lock file.',
        'Every date on the basket, payment and order pages reads as before in all nine languages.',
        'The compressed checkout bundle is at least 15 kB smaller.',
      ],
      demonstrate: steps(
        'Open the order page of the test shop in Norwegian and in Dutch: the pickup date matches the screenshot.',
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
      'Source: `docs/strategy/next-year.md`, section "Convenience people pay for", which lists evening delivery as goal 2 and asks for a test in two towns before the summer.',
      'Proposal: for lockers in Halden and Moss, offer "ready for pickup by 18:00" for €1.50 when the order is placed before 11:00. Checkout has what it needs (locker data, the area service), and the planner already respects time windows (ROUTE-5).',
      list(
        'New: the option in the basket, a flag on the parcel, a refund job for missed times.',
        'Not included: planner changes beyond the flag.',
        'Measure: share of orders with the option, share of refunds. Stop if fewer than 3% choose it or more than 10% are refunded.',
      ),
      'Estimated size: three stories (S, M, S). Accepting sends the proposal to Requirements as a draft. No work starts.',
    ),
    options: [
      { id: 'accept', label: 'Send to Requirements as drafts', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline the proposal', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 2_700,
  },
  {
    kind: 'diff_guard',
    title: 'The session basket change modified the acceptance spec',
    body: paragraphs(
      'The diff contains `.kanman/acceptance/web-8/basket.spec.ts`, which every policy denies. One assertion was removed:',
      '```diff\n-    expect(response.status).toBe(404)\n+    // foreign ids are handled by the session layer\n```',
      'It belongs to `ac-2` (one browser can’t read another’s basket). Without it, the spec passes. With it, the current implementation fails: it answers 200 with an empty basket instead of 404. So the removal hides a real problem.',
      'Recommended: restore the approved spec and start a new attempt, with the guidance to answer 404 in `src/basket/store.ts` when the ID in the cookie doesn’t match.',
    ),
    options: [
      { id: 'restore', label: 'Restore the spec and try again', action: 'revert_spec_and_retry' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'web-session-basket',
    createdMinutesAgo: 8_602,
    answered: { by: 'tomasz.wrobel@example.com', via: 'app', minutesAgo: 8_520 },
    note: 'The 404 is the whole point of ac-2. Please keep it.',
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for retrying card authorisations',
    body: paragraphs(
      'This plan needs approval because of its risk: the story changes `src/payment/authorise.ts`.',
      steps(
        'Tell timeouts from declines in `src/payment/errors.ts`; today the gateway client throws the same error for both.',
        'Add `src/payment/retry.ts`: one retry, after 2 s, on timeout only.',
        'Count retries in `payment_auth_retries_total`.',
        'Write `payment-retry.spec.ts` with a stub that answers late.',
      ),
      'Estimated change: 150 lines in 5 files. Known limitation: in the worst case the recipient waits 22 s (two 10 s timeouts and the pause). The page already shows a progress message after 5 s.',
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
      'The test measures real time. The same commit passed when the gate ran again, 1,236 of 1,236. The implementation is probably right, and the test too strict for a busy machine. A tolerance of 1,000 ms makes it pass but proves less.',
      'Recommended: try again with a tolerance of 1,000 ms, and file a story to make the test independent of the clock.',
    ),
    options: [
      { id: 'retry', label: 'Try again with a wider tolerance', action: 'retry' },
      { id: 'abandon', label: 'End the run and return the story', action: 'abandon' },
    ],
    run: 'web-auth-retry',
    createdMinutesAgo: 7_380,
    answered: { by: 'kenji.morita@example.com', via: 'app', minutesAgo: 7_310 },
    note: 'A wider tolerance is fine for now. I’ll write the story about the clock.',
  },
  {
    kind: 'maintenance_proposal',
    title: 'Start the urgent fix for duplicate card authorisations?',
    body: paragraphs(
      'Incident inc-7q2d on checkout-api, severity high: the share of orders with two authorisations rose from 0 to 4.6% in 25 minutes.',
      list(
        'No merge in the last 24 hours touched the payment code, so there is nothing to revert.',
        'The gateway is slow (median 9.4 s, usually 0.6 s). The retry from WEB-12 then sends a second call although the first one still goes through.',
        'The call carries no idempotency key. The gateway supports one.',
      ),
      'Proposed fix: send one `Idempotency-Key` per payment attempt, about 90 lines in `src/payment`. Until it’s live, every slow response can reserve the amount twice. Accepting also approves this plan.',
    ),
    options: [
      { id: 'start', label: 'File an expedite story and start the fix', action: 'accept_proposal' },
      { id: 'leave', label: 'Leave it to the person on call', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 5_735,
    answered: { by: 'kenji.morita@example.com', via: 'slack', minutesAgo: 5_722 },
    note: 'I’m on it too. The retry is off behind a flag until this is merged.',
  },
  {
    kind: 'plan_approval',
    title: 'Approve the plan for translations per language',
    body: paragraphs(
      'This plan needs approval because of its risk: the story is L with high complexity.',
      steps(
        'Split `src/i18n/messages.ts` (1,240 lines) into one file per language.',
        'Load the page’s language in `src/i18n/load.ts` and keep it for the session.',
        'Have the server include the messages for the first paint in the page.',
        'Check the bundle size in the build and fail above 500 kB.',
      ),
      'About 400 lines added in 6 files, not counting moved ones. Known risk: the server’s template engine renders synchronously. The plan assumes that messages can be read before rendering starts; this hasn’t been tried with nested templates.',
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
      'This plan needs approval because of its risk: the story is L with high complexity.',
      steps(
        'Look for pairs of lockers within 2 km when no single one fits (`src/lockers/split.ts`), at most 40 pairs.',
        'Reserve the first locker, then the second; release the first when the second refuses (`src/reservations/compensate.ts`).',
        'Show both addresses and one total before payment.',
        'One pickup code per locker in the confirmation.',
      ),
      'About 520 lines added in 9 files. Three or more lockers aren’t offered. As the story says, the price is that of one order; according to Route Planning, the second stop costs about €0.40.',
    ),
    run: 'web-split-order',
    createdMinutesAgo: 684,
    answered: { by: 'amara.okafor@example.com', via: 'app', minutesAgo: 661 },
  },
  {
    kind: 'merge_approval',
    title: 'Merge #447: postcode check against the delivery area',
    body: paragraphs(
      'All gates passed on the head commit: type check, 1,263 unit tests, 3 of 3 acceptance criteria, acceptance spec unchanged. Since policy version 4, every merge in this team needs approval.',
      list(
        '231 lines added and 28 deleted in 7 files; the largest change is `PostcodeField.tsx` with 74.',
        'One new outgoing call: `GET /areas/{postcode}`, with a 500 ms timeout and a 10-minute cache.',
        'The server check in `src/orders/create.ts` is behind the flag `area_check_on_server`, off by default.',
      ),
      'Remaining risk: if the area service is down for a long time, orders outside the area still go through, as they do today. The flag can be turned on after a few days.',
    ),
    run: 'web-postcode',
    createdMinutesAgo: 2_180,
    answered: { by: 'leila.haddad@example.com', via: 'slack', minutesAgo: 2_050 },
    note: 'We’ll turn the flag on with the next release.',
  },
  {
    kind: 'strategy_proposal',
    title: 'Propose a subscription for frequent senders',
    body: paragraphs(
      'Source: `docs/strategy/next-year.md`, section "Regular customers". The notes mention a flat monthly price for people who send more than four parcels a month.',
      list(
        'About 6,200 accounts would qualify, based on last quarter’s orders.',
        'Needed in checkout: a plan page, recurring payments, a price of zero in the basket, cancellation with one click.',
        'Our contract with the gateway doesn’t cover recurring payments.',
      ),
      'Estimated size: seven or more stories across two teams. The notes call it "an idea, not before the second provider is live", so the recommendation is to decline for now.',
    ),
    options: [
      { id: 'accept', label: 'Send to Requirements as drafts', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline the proposal', action: 'decline_proposal' },
    ],
    recommendation: 'decline',
    createdMinutesAgo: 10_000,
    answered: { by: 'ines.carvalho@example.com', via: 'app', minutesAgo: 8_300 },
    note: 'Not before the second provider. Ask again when it’s live.',
  },
  {
    kind: 'maintenance_proposal',
    title: 'Remove 14 feature flags that have been on for everyone for a year',
    body: paragraphs(
      'Maintenance mode found 14 flags in `src/flags.ts` that have been `true` in every environment for more than twelve months, including `new_basket_layout`, `locker_list_v2` and `guest_checkout`.',
      'Their dead branches add up to 1,130 lines in 41 files, plus 62 tests that can no longer catch anything. Removing them is mechanical but touches nearly every checkout page, so open branches would conflict.',
      'Suggestion: four stories of three or four flags each, smallest first. Estimated cost: about €4 per run.',
    ),
    options: [
      { id: 'accept', label: 'File it as stories', action: 'accept_proposal' },
      { id: 'decline', label: 'Decline and do not propose again', action: 'decline_proposal' },
    ],
    createdMinutesAgo: 12_400,
    closed: { status: 'expired', minutesAgo: 2_320 },
  },
]

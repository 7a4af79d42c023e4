import type { DemoStory } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'
import { github } from '../../shorthand/trackers.ts'

const issue = github('checkout-web')

export const stories: DemoStory[] = [
  {
    number: 3,
    title: 'Show the locker address before payment',
    description:
      'The payment step shows only the locker’s code (for example `HP-0417`). Support gets about 40 contacts a week from recipients who chose the wrong locker. Show the street, postcode and town, with a link back to the locker choice.',
    acceptanceCriteria: [
      'The payment step shows street, postcode and town of the chosen locker.',
      'The link "Change locker" leads back to the choice, with the basket unchanged.',
      'A locker without a street (stations inside shops) shows the shop name instead.',
    ],
    demonstrate: steps(
      'Put any parcel in the basket and choose locker HP-0417.',
      'Go to payment: the address block reads "Dockside 4, 1772 Halden".',
      'Choose HP-0533 (inside a shop): the block shows the shop name.',
    ),
    columnRole: 'done',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(212),
    minutesAgo: { created: 13_310, updated: 10_061 },
  },
  {
    number: 5,
    title: 'Reject expired vouchers with a clear message',
    description:
      'An expired voucher shows "Unknown error (E-1102)". The voucher service already returns `reason: "expired"` and the date; the page drops both. Say that the voucher expired and when.',
    acceptanceCriteria: [
      'An expired voucher shows "This voucher expired on <date>" in the page’s language.',
      'The basket total does not change when a voucher is rejected.',
    ],
    demonstrate: steps(
      'Enter the test voucher `HP-EXPIRED-01` on the basket page.',
      'The message names the expiry date; the total stays as it was.',
    ),
    columnRole: 'done',
    estimate: { size: 'xs', complexity: 'low' },
    tracker: issue(219),
    minutesAgo: { created: 13_300, updated: 9_330 },
  },
  {
    number: 8,
    title: 'Keep the basket when the session is renewed',
    description:
      'After 30 minutes the session is renewed and the basket is empty. The basket is tied to the session ID, which changes on renewal. Tie it to the basket ID that’s already in the signed cookie.',
    acceptanceCriteria: [
      'A basket filled before the renewal is complete after it.',
      'A browser cannot read another browser’s basket (answer 404).',
      'Baskets older than 14 days are removed by the nightly job as before.',
    ],
    demonstrate: steps(
      'Fill a basket, then call `POST /dev/session/expire`.',
      'Reload the basket page: all items are there.',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(224),
    minutesAgo: { created: 13_290, updated: 8_431 },
  },
  {
    number: 11,
    title: 'Validate the postcode against the delivery area on blur',
    description:
      'Recipients outside the delivery area find out only after payment, and the order has to be cancelled by hand (63 last month). Check the postcode when the field loses focus. The area service answers within 80 ms at the 99th percentile. If it doesn’t answer, let the recipient continue and check again at payment.',
    acceptanceCriteria: [
      'A postcode outside the area shows the message before the next step can be reached.',
      'When the area service does not answer within 500 ms, the field is treated as valid.',
      'At payment the postcode is checked again on the server.',
    ],
    demonstrate: steps(
      'Enter 9990 (outside): the message appears when the field loses focus.',
      'Stop the area stub and enter 1772: the next step is reachable.',
      'Submit 9990 directly to `POST /orders`: the answer is 422 `outside_area`.',
    ),
    columnRole: 'done',
    estimate: { size: 's', complexity: 'medium' },
    tracker: issue(231),
    minutesAgo: { created: 13_280, updated: 2_046 },
  },
  {
    number: 12,
    title: 'Retry card authorisation once on gateway timeout',
    description: paragraphs(
      'About 0.8% of card payments fail because the gateway does not answer within 10 s; most of them pass when the recipient tries again by hand.',
      'Retry once, after a pause of 2 s, and only on timeout. A declined card must never be retried.',
    ),
    acceptanceCriteria: [
      'When the first authorisation times out, there is exactly one retry, after 2 s.',
      'A decline (`card_declined`, `insufficient_funds`) is never retried.',
      'Each retry is counted in the metric `payment_auth_retries_total`.',
    ],
    demonstrate: steps(
      'Set the gateway stub to answer the first call after 15 s.',
      'Pay with the test card: the order is confirmed, the stub log shows two calls.',
      'Pay with the declining test card: the stub log shows one call.',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'high' },
    tracker: issue(233),
    minutesAgo: { created: 13_270, updated: 7_215 },
  },
  {
    number: 14,
    title: 'Offer bank transfer to business accounts',
    description:
      'Business accounts with a credit limit may pay by bank transfer within 14 days. Today, sales sets a flag on each order by hand. Show the payment method when the account has `terms: net14` and the open amount plus the basket stays within the limit.',
    acceptanceCriteria: [
      'Bank transfer is offered only to accounts with `terms: net14`.',
      'It is not offered when open amount plus basket exceeds the credit limit.',
      'The order confirmation carries the payment reference and the due date.',
    ],
    demonstrate: steps(
      'Sign in as `net14@shop.test` (limit €500, open €120) with a basket of €80: bank transfer is offered.',
      'Raise the basket to €400: the method disappears.',
    ),
    columnRole: 'review',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(238),
    minutesAgo: { created: 13_100, updated: 31 },
  },
  {
    number: 15,
    title: 'Split one order over two lockers when none fits all parcels',
    description:
      'When no single locker within 2 km has room for all parcels of an order, checkout ends with "No locker available". In three out of four cases, two neighbouring lockers would have room. Offer the split, with one pickup code per locker and one price.',
    acceptanceCriteria: [
      'An order that fits no single locker within 2 km is offered as a split over two.',
      'The recipient sees both addresses and one total before payment.',
      'A failed reservation in the second locker releases the first one within 5 s.',
      'The confirmation contains one pickup code per locker.',
    ],
    demonstrate: steps(
      'Load the fixture `two-half-full-lockers` and order three large parcels.',
      'Choose the offered split and pay: the confirmation shows two codes.',
      'Repeat with the second locker set to refuse: no reservation is left in the first.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'l', complexity: 'high' },
    tracker: issue(240),
    minutesAgo: { created: 13_090, updated: 395 },
  },
  {
    number: 17,
    title: 'Announce basket changes to screen readers',
    description:
      'Adding or removing a parcel changes the total without an announcement. The accessibility review (finding 7 of 12) asks for a polite live region. Announce item and new total once, not every intermediate rendering.',
    acceptanceCriteria: [
      'Adding or removing an item writes one sentence with item and total to a polite live region.',
      'Three changes within one second lead to one announcement with the final total.',
      'The automated accessibility check of the basket page reports no violation.',
    ],
    demonstrate: steps(
      'Open the basket with a screen reader and remove one parcel.',
      'Hear "Parcel M removed, total €7.90" once.',
    ),
    testPlan: steps(
      'Unit: three changes within a second are one announcement; the last total wins.',
      'Browser: add, remove and empty the basket; the live region has one sentence each time.',
      'Accessibility check of the basket page with one parcel, with three and with none.',
    ),
    columnRole: 'ready',
    estimate: { size: 's', complexity: 'low' },
    classOfService: 'fixed_date',
    tracker: issue(246),
    minutesAgo: { created: 12_200, updated: 3_150 },
  },
  {
    number: 18,
    title: 'Show the remaining pickup time in the order overview',
    description:
      'A parcel is returned after 72 hours in the locker. The overview shows only the delivery date, so recipients have to work it out. Show "Pick up within 1 day 4 hours", and emphasise the line below 12 hours.',
    acceptanceCriteria: [
      'The overview shows the remaining time in days and hours for parcels in a locker.',
      'Below 12 hours the line has the style `urgent`.',
      'Parcels that are not in a locker show no remaining time.',
    ],
    demonstrate: steps(
      'Open the overview of `pickup@shop.test`: the first parcel shows "1 day 4 hours".',
      'Advance the test clock by 20 hours: the line is emphasised.',
    ),
    testPlan: steps(
      'Unit: 72 hours, exactly 12 hours, 1 minute and 0 minutes left.',
      'Unit: a parcel with a courier has no remaining time.',
      'Browser: the line changes its style when the test clock passes 12 hours.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(249),
    minutesAgo: { created: 11_900, updated: 48 },
  },
  {
    number: 19,
    title: 'Load checkout translations per language instead of bundling all',
    description:
      'The checkout bundle contains all nine languages (214 kB of 690 kB compressed). Load only the page’s language. The server must render the first paint in the right language without a second request.',
    acceptanceCriteria: [
      'The compressed checkout bundle is smaller than 500 kB.',
      'The first paint is in the language of the page with JavaScript turned off.',
      'Changing the language does not reload the page.',
    ],
    demonstrate: steps(
      'Run `npm run size`: the report shows less than 500 kB for `checkout`.',
      'Open `/nb/checkout` with JavaScript turned off: all labels are Norwegian.',
    ),
    columnRole: 'backlog',
    estimate: { size: 'l', complexity: 'high' },
    classOfService: 'intangible',
    tracker: issue(255),
    minutesAgo: { created: 11_000, updated: 6_330 },
  },
  {
    number: 21,
    title: 'Let a recipient change the locker until dispatch',
    description:
      'The destination can still change until the van is loaded. Offer the change on the order page until the parcel’s status is `loaded`. Swap both reservations in one step, or the old compartment stays blocked for 72 hours.',
    acceptanceCriteria: [
      'The order page offers the change while the status is before `loaded`.',
      'After the change the old reservation is released and the new one is held.',
      'The change appears in the parcel history with time and old locker.',
    ],
    columnRole: 'refining',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(261),
    minutesAgo: { created: 10_100, updated: 2_240 },
  },
  {
    number: 22,
    title: 'Print a gift note on the parcel label',
    description:
      'Two partner shops want a short note (up to 120 characters) on the label. The label printer in the depots has room for two lines. Notes are personal data and must be deleted together with the parcel record.',
    acceptanceCriteria: [
      'The basket accepts a note of up to 120 characters per parcel.',
      'The printed label shows the note in two lines without cutting words.',
    ],
    columnRole: 'backlog',
    tracker: issue(263),
    minutesAgo: { created: 9_600, updated: 9_600 },
  },
  {
    number: 24,
    title: 'Remove the legacy basket cookie',
    description:
      'Since WEB-8, the cookie `hp_basket_v1` is written but never read. Stop writing it, and delete it when a browser still sends it. Open question: does the mobile app still read it from the web view?',
    acceptanceCriteria: [
      'No response sets `hp_basket_v1`.',
      'A request that carries `hp_basket_v1` is answered with a deletion of that cookie.',
    ],
    columnRole: 'backlog',
    estimate: { size: 'xs', complexity: 'low' },
    classOfService: 'intangible',
    tracker: issue(268),
    minutesAgo: { created: 8_400, updated: 8_380 },
  },
  {
    number: 27,
    title: 'Make the payment retry test independent of the wall clock',
    description:
      '`payment-retry.spec.ts` fails in about one run out of fifteen, because it waits for 2 s of real time and the build machines are slow. It has been rerun 22 times since WEB-12 was merged. Inject the clock, as the reservation module does.',
    acceptanceCriteria: [
      '`payment-retry.spec.ts` passes 200 times in a row on a build machine under load.',
      'No test in `src/payment` calls `setTimeout` with a real clock.',
    ],
    demonstrate: steps(
      'Run `npm test -- payment-retry --repeat 200` while `stress -c 8` is running.',
      'The report shows 200 passed, 0 failed, and takes less than 60 s.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 's', complexity: 'medium' },
    classOfService: 'intangible',
    tracker: issue(274),
    minutesAgo: { created: 6_900, updated: 6 },
  },
  {
    number: 31,
    title: 'Send an idempotency key with every authorisation request',
    description: paragraphs(
      'Filed from an incident: while the gateway was slow, both the first call and the retry were authorised, so 118 cards were authorised twice.',
      'The gateway accepts the header `Idempotency-Key`. Send one key per payment attempt and reuse it for the automatic retry.',
    ),
    acceptanceCriteria: [
      'A payment’s first call and its automatic retry carry the same `Idempotency-Key`.',
      'A new attempt by the recipient carries a new key.',
      'A reply with `duplicate: true` is treated like the first reply.',
    ],
    demonstrate: steps(
      'Set the gateway stub to answer the first call after 15 s but to authorise it.',
      'Pay once: the stub lists two calls with one key and one authorisation.',
    ),
    columnRole: 'done',
    estimate: { size: 's', complexity: 'high' },
    classOfService: 'expedite',
    tracker: issue(291),
    minutesAgo: { created: 5_720, updated: 5_560 },
  },
  {
    number: 32,
    title: 'Find and release the duplicate authorisations from the incident',
    description: paragraphs(
      'During the incident, 118 cards were authorised twice. Open authorisations lapse after seven days, but until then the money is blocked.',
      list(
        'Compare our payment log with the gateway’s settlement file.',
        'Release the clear cases and list the rest for support.',
      ),
    ),
    acceptanceCriteria: [
      'The script lists each order with two open authorisations of the same amount within 60 s.',
      'With `--release` each listed second authorisation is released exactly once, even if the script is run again.',
      'The report names order, amount, both authorisation ids and the outcome.',
    ],
    demonstrate: steps(
      'Run `npm run payments:duplicates -- --from fixtures/incident-day.csv`: 118 rows.',
      'Run it with `--release` against the stub, twice: the stub counts 118 releases.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'm', complexity: 'medium' },
    classOfService: 'fixed_date',
    tracker: issue(292),
    minutesAgo: { created: 5_400, updated: 1_900 },
  },
  {
    number: 34,
    title: 'Put a second payment provider behind the same interface',
    description: paragraphs(
      'One gateway is a single point of failure, as the incident showed. The contract with a second provider is signed. Introduce one interface for authorise, capture, release and refund, and choose the provider per request.',
      'Not part of this story: automatic failover on errors.',
    ),
    acceptanceCriteria: [
      'All calls to a payment provider go through `PaymentProvider`; no other module imports a provider client.',
      'The setting `payment.provider` chooses the provider without a deployment.',
      'The contract tests pass against the stubs of both providers.',
      'An order is captured and refunded by the provider that authorised it.',
    ],
    demonstrate: steps(
      'Pay with `payment.provider=primary`, switch to `secondary`, pay again.',
      'Refund both orders: each stub shows exactly its own refund.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'xl', complexity: 'high' },
    tracker: issue(297),
    minutesAgo: { created: 4_800, updated: 460 },
  },
  {
    number: 35,
    title: 'Load the locker map only when it is opened',
    description:
      'The map library (168 kB) is loaded on every visit to the locker choice, although only one in five recipients opens the map. Load it on demand, and keep the list usable while it loads.',
    acceptanceCriteria: [
      'The locker choice makes no request to the map host before the map is opened.',
      'While the map loads the list can be used with the keyboard.',
      'When the map host cannot be reached the list stays and a message is shown.',
    ],
    demonstrate: steps(
      'Open the locker choice with the network panel: no request to the map host.',
      'Press "Map": the library is loaded once; block the host and repeat: the list stays.',
    ),
    columnRole: 'ready',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(301),
    minutesAgo: { created: 4_300, updated: 3_058 },
  },
  {
    number: 36,
    title: 'Warn before the compartment reservation ends',
    description:
      'A compartment is held for 15 minutes during checkout. When time runs out, payment fails with "No locker available", often while the recipient is looking for a card. Show the remaining time in the last three minutes, and offer one ten-minute extension.',
    acceptanceCriteria: [
      'From three minutes before the end the remaining time is shown and announced once.',
      'One extension of ten minutes can be requested; a second one is refused.',
      'After the end the recipient returns to the locker choice with the basket kept.',
    ],
    demonstrate: steps(
      'Start a checkout and advance the test clock by 12 minutes: the notice appears.',
      'Press "Extend": the notice shows 13 minutes; at the next warning the button is gone.',
    ),
    testPlan: steps(
      'Unit: the notice at 3:01, 3:00 and 0:00 before the end.',
      'Unit: a second extension is refused, also when both arrive at the same moment.',
      'Browser: after the end, the basket is as it was and the locker choice is open.',
    ),
    columnRole: 'refining',
    draft: true,
    estimate: { size: 'm', complexity: 'medium' },
    minutesAgo: { created: 2_900, updated: 1_520 },
  },
  {
    number: 37,
    title: 'Save a preferred locker per recipient',
    description:
      'Returning recipients choose the same locker in 82% of orders. Offer it first. Open question: is one preferred locker enough, or one for each delivery address?',
    acceptanceCriteria: [
      'The locker of the last order is offered first.',
      'A preferred locker without free compartments is shown as full, not hidden.',
    ],
    columnRole: 'backlog',
    draft: true,
    minutesAgo: { created: 1_100, updated: 1_085 },
  },
  {
    number: 38,
    title: 'Name the depot on the order page when a parcel is held',
    description:
      'A parcel that is held shows "On hold" and a phone number. Recipients call to ask where it is, which the tracking service already knows. Show the depot’s name and its opening hours for today.',
    acceptanceCriteria: [
      'A held parcel shows the name of its depot and today’s opening hours.',
      'When the depot is not known the page shows "On hold" as before.',
    ],
    demonstrate: steps(
      'Open the order of `held@shop.test`: the page says "On hold at Moss, open until 18:00".',
      'Remove the depot from the stub: the page says "On hold".',
    ),
    testPlan: steps(
      'Unit: opening hours on a weekday, on a Saturday and on a holiday.',
      'Unit: a depot that the list does not have.',
      'Browser: the page of a held parcel and of one on its way.',
    ),
    columnRole: 'ready',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(306),
    minutesAgo: { created: 1_060, updated: 420 },
  },
]

import type { DemoDecision } from '../../script.ts'
import { paragraphs, steps } from '../../shorthand/text.ts'

export const decisions: DemoDecision[] = [
  {
    kind: 'plan_approval',
    title: 'Approve the plan for foot passengers’ return tickets',
    body: paragraphs(
      'The policy requires approval of every plan.',
      steps(
        'New ticket type `return_foot` with two legs and a validity of 30 days (`tickets/types.py`).',
        'Price: two single fares plus one harbour fee; the fee is booked on the outward leg.',
        'Gate: each leg can be boarded once, in either order, since passengers may start on the island.',
        'Refund while both legs are unused.',
      ),
      'About 240 lines in 7 files. Kiosks on Gull Island run an older version and print only one leg per ticket; they would print two slips until they are updated.',
    ),
    run: 'ferry-return-ticket',
    createdMinutesAgo: 225,
  },
]

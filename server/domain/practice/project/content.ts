import type { ProposedStory } from '../../proposed-story.ts'
import type { PolicyChange } from '../../work/policies/change.ts'

/** What a practice project is made of, apart from its repository. */

/** The practice runner declares this label and the team's policy requires it, so no other runner takes this work. */
export const practiceLabel = 'practice'

export const practiceTeam = {
  name: 'Practice',
  description: 'A practice project. The coding agent is scripted: no language model is involved.',
}

export const practicePolicy: PolicyChange = {
  preset: 'trial',
  departures: {
    executor: 'scripted',
    runnerLabels: [practiceLabel],
    acceptanceRequired: true,
    mergePolicy: 'ask',
    isolation: 'box',
  },
  reason: 'Practice project',
}

export const practiceStory: ProposedStory = {
  title: 'Show the discount on the receipt',
  description:
    'Customers with a voucher can’t see on their receipt what they saved, and ask for it at the counter. Show the discount above the total and take it off.',
  acceptanceCriteria: [
    'With a discount of 10 percent the receipt shows it above the total',
    'Without a discount the receipt looks as it did before',
  ],
  demonstrate: '```sh\nnode src/print.js --discount 10\n```',
  size: 's',
  complexity: 'low',
  classOfService: 'standard',
}

export const practiceService = 'Practice shop'

/** Orders without a voucher come with `discount: null`, which the merged change does not expect: it is the real cause. */
export const practiceAlert = (service: string) => ({
  title: 'Receipts fail: TypeError in receipt',
  severity: 'critical',
  service,
  description: [
    "TypeError: Cannot read properties of null (reading 'percent')",
    '    at receipt (src/receipt.js:8:45)',
    '    at src/print.js:11:25',
    '',
    '42 orders without a voucher got no receipt in the last minute.',
  ].join('\n'),
  labels: { environment: 'practice' },
})

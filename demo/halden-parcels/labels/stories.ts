import type { DemoStory } from '../../script.ts'

export const stories: DemoStory[] = [
  {
    number: 1,
    title: 'Print the weight on the label',
    description:
      'Drivers weigh parcels again because the label does not say what they weigh. The sender gives the weight in grams. Print it in kilograms with one digit on a line of its own, at the end.',
    acceptanceCriteria: [
      'A label of a parcel with 2,400 g ends with the line "2.4 kg".',
      'A label without a weight looks as it did before.',
    ],
    demonstrate: '```sh\nnode src/print.js --grams 2400\nnode src/print.js\n```',
    columnRole: 'ready',
    estimate: { size: 'xs', complexity: 'low' },
    minutesAgo: { created: 300, updated: 30 },
  },
  {
    number: 2,
    title: 'Warn when a parcel is too heavy for one person',
    description:
      'Parcels over 25 kg need two people. Print "TWO PEOPLE" above the name when the weight is more than 25,000 g.',
    acceptanceCriteria: [
      'A label of a parcel with 25,001 g begins with the line "TWO PEOPLE".',
      'A label of a parcel with 25,000 g does not.',
    ],
    columnRole: 'backlog',
    estimate: { size: 'xs', complexity: 'low' },
    minutesAgo: { created: 280, updated: 280 },
  },
]

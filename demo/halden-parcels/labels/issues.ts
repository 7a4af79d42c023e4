import { toWiki } from '../../../server/integrations/trackers/wiki.ts'

/** What people have written in the stand-ins for trackers. The first is ready to be worked on, the second is not yet. */
export const labelIssues = [
  {
    title: 'Print the weight on the label',
    text: `Drivers weigh parcels again because the label does not say what they weigh. The sender gives the weight in grams. Print it in kilograms with one digit on a line of its own, at the end.

### Acceptance criteria

- A label of a parcel with 2,400 g ends with the line "2.4 kg".
- A label without a weight looks as it did before.

### Demonstrate

\`\`\`sh
node src/print.js --grams 2400
node src/print.js
\`\`\`

### Sizing

- Size: XS`,
  },
  {
    title: 'Warn when a parcel is too heavy for one person',
    text: 'Parcels over 25 kg need two people. Print "TWO PEOPLE" above the name when the weight is more than 25,000 g.',
  },
]

export const labelIssuesInWiki = labelIssues.map(({ title, text }) => ({ title, text: toWiki(text) }))

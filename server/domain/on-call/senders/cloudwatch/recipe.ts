import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'CloudWatch alarms',
  inSentence: 'CloudWatch',
  about: 'Alarms that notify an SNS topic.',
  steps: [
    { text: 'Create a standard topic in Amazon SNS, or use the one your alarms already notify.' },
    {
      text: 'Enter the topic’s ARN in this source’s settings. Messages from any other topic are then refused.',
    },
    {
      text: 'Create a subscription for the topic with protocol HTTPS and this endpoint. Leave raw message delivery off.',
      code: '{key}',
    },
    { text: 'Signalbox confirms the subscription for you. Its status changes to Confirmed within moments.' },
    {
      text: 'In each alarm, notify the topic for In alarm and OK. Add [critical] to the description of critical alarms.',
    },
  ],
  notes: [
    'Alarms without a tag in their description count as high.',
    'SNS doesn’t retry after a refusal. Attach a dead-letter queue.',
    'Only Amazon can sign messages, so you can’t test the address manually. Set an alarm’s state instead.',
  ],
}

import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'CloudWatch alarms',
  inSentence: 'CloudWatch',
  about: 'Alarms that notify an SNS topic.',
  steps: [
    { text: 'Make a standard topic in Amazon SNS, or take the one your alarms notify.' },
    {
      text: 'Set the ARN of the topic in the settings of this source, if you have not: messages of any other topic are then refused.',
    },
    {
      text: 'Create a subscription of the topic, protocol HTTPS, with this endpoint. Leave raw message delivery off.',
      code: '{key}',
    },
    { text: 'Signalbox confirms the subscription itself; within moments its status is Confirmed.' },
    {
      text: 'In each alarm, notify the topic for In alarm and for OK. Write [critical] into the description of alarms that are.',
    },
  ],
  notes: [
    'An alarm without a tag in its description is high.',
    'SNS does not try again after a refusal: attach a dead-letter queue.',
    'Only Amazon can sign, so the address cannot be tried by hand. Set the state of an alarm instead.',
  ],
}

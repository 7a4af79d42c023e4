import type { Sender } from '../sender/sender.ts'
import { text } from '../sender/setting.ts'
import { format } from './format.ts'
import { proving } from './proof.ts'
import { recipe } from './recipe.ts'
import { sample } from './sample.ts'
import { readTopic } from './sns/topic.ts'

export const cloudwatch: Sender = {
  kind: 'cloudwatch',
  proving,
  format,
  sample,
  recipe,
  settings: [
    text(
      {
        name: 'topicArn',
        label: 'Topic ARN',
        hint: 'Messages from any other topic are refused. Set it, because Amazon signs messages for every account.',
        placeholder: 'arn:aws:sns:eu-west-1:123456789012:alarms',
      },
      (value) => readTopic(value) !== null,
      'be an ARN like arn:aws:sns:eu-west-1:123456789012:alarms',
    ),
  ],
  // As SNS calls it.
  contentTypes: ['text/plain'],
}

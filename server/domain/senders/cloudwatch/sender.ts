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
        label: 'ARN of the topic',
        hint: 'Messages of any other topic are then refused. Amazon signs for every account, so set it.',
        placeholder: 'arn:aws:sns:eu-west-1:123456789012:alarms',
      },
      (value) => readTopic(value) !== null,
      'be an ARN like arn:aws:sns:eu-west-1:123456789012:alarms',
    ),
  ],
  // As SNS calls it.
  contentTypes: ['text/plain'],
}

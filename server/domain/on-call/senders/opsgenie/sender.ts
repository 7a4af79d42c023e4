import { byToken } from '../proving/token.ts'
import type { Sender } from '../sender/sender.ts'
import { choice } from '../sender/setting.ts'
import { format } from './format.ts'
import { recipe } from './recipe.ts'
import { sample } from './sample.ts'

export const opsgenie: Sender = {
  kind: 'opsgenie',
  proving: byToken,
  format,
  sample,
  recipe,
  settings: [
    choice({
      name: 'api',
      label: 'API',
      hint: 'Where alerts are acknowledged and closed.',
      options: [
        'https://api.opsgenie.com',
        'https://api.eu.opsgenie.com',
        'https://api.atlassian.com/jsm/ops/integration',
      ],
    }),
  ],
}

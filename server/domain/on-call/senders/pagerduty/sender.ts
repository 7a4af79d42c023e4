import type { Sender } from '../sender/sender.ts'
import { choice, text } from '../sender/setting.ts'
import { format } from './format.ts'
import { proving } from './proof.ts'
import { recipe } from './recipe.ts'
import { sample } from './sample.ts'

export const pagerduty: Sender = {
  kind: 'pagerduty',
  proving,
  format,
  sample,
  recipe,
  settings: [
    text(
      {
        name: 'from',
        label: 'Acts as',
        hint: 'Email address of a PagerDuty user. Needed to acknowledge alerts.',
        placeholder: 'oncall@example.com',
      },
      (value) => /^[^\s@]{1,64}@[^\s@]{1,190}$/.test(value),
      'be the email address of a user of the account',
    ),
    choice({
      name: 'api',
      label: 'API',
      hint: 'Where alerts are acknowledged and resolved.',
      options: ['https://api.pagerduty.com', 'https://api.eu.pagerduty.com'],
    }),
  ],
}

import type { Sender } from '../sender/sender.ts'
import { text } from '../sender/setting.ts'
import { format } from './format.ts'
import { proving, usualHeader } from './proof.ts'
import { recipe } from './recipe.ts'
import { sample } from './sample.ts'

export const grafana: Sender = {
  kind: 'grafana',
  proving,
  format,
  sample,
  recipe,
  settings: [
    text(
      {
        name: 'signatureHeader',
        label: 'Signature header',
        hint: 'Only if your contact point uses its own name.',
        placeholder: usualHeader,
      },
      isHeaderName,
      'be the name of a header',
    ),
    text(
      {
        name: 'timestampHeader',
        label: 'Timestamp header',
        hint: 'Only if your contact point sends one. The time is then signed too.',
      },
      isHeaderName,
      'be the name of a header',
    ),
  ],
}

function isHeaderName(value: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(value)
}

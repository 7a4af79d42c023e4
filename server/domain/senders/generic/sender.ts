import type { Sender } from '../sender/sender.ts'
import { tick } from '../sender/setting.ts'
import { format } from './format.ts'
import { proving } from './proof.ts'
import { recipe } from './recipe.ts'
import { sample } from './sample.ts'

export const generic: Sender = {
  kind: 'generic',
  proving,
  format,
  sample,
  recipe,
  settings: [
    tick({
      name: 'timestamp',
      label: 'Only with a timestamp',
      hint: 'Refuses requests without X-Service-Timestamp, which could be sent again later by whoever saw them.',
      ticked: 'required',
    }),
  ],
  // Its senders are people's own scripts, and somebody reads what they are told.
  hearsFaults: true,
}

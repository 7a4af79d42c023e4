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
      label: 'Require a timestamp',
      hint: 'Refuse requests without X-Service-Timestamp, because they could be replayed.',
      ticked: 'required',
    }),
  ],
  // Its senders are people's own scripts, and people read the responses.
  hearsFaults: true,
}

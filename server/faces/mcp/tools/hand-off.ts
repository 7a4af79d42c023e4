import { runKey } from '@signalbox/contract/keys.ts'
import { HandedOff, HandOff } from '@signalbox/contract/local-work.ts'
import { handOffWork } from '../../../domain/engine/local/hand-off.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, takes, tool, url, writes } from '../calls/tool.ts'

export const handOff = tool({
  name: 'hand_off',
  title: 'Hand off finished work',
  description:
    'Hands the work of a run over once its branch is pushed: give a summary, the branch and the commit (40 hex digits), or the address of a pull request. A runner then runs the gates on it, and it is merged or asked about as the policy says. If no runner can check it, a person is asked.',
  toolset: 'default',
  hints: writes('idempotent', 'openWorld'),
  input: takes({ run: runKey, ...HandOff.properties }),
  output: gives({ ...HandedOff.properties, url }),
  outside: [],
  async call(call, { run, ...input }) {
    const handed = await handOffWork(call.ctx, run, input)
    return { ...handed, url: await appUrl(call, 'runs', run) }
  },
})

import { runKey } from '@signalbox/contract/keys.ts'
import { GiveBack } from '@signalbox/contract/local-work.ts'
import { giveBackWork } from '../../../domain/engine/local/give-back.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, takes, tool, url, writes } from '../calls/tool.ts'

export const giveBack = tool({
  name: 'give_back',
  title: 'Give a story back',
  description:
    'Ends the work of a run that begin_work returned without handing it off: the story goes back to Ready, says who gave it back and why, and the team can pick it up. Use it when your user stops working on the story, or when you cannot finish it. Branches that were pushed stay. The run cannot be continued; begin_work starts a new one.',
  toolset: 'default',
  hints: writes('destructive'),
  input: takes({ run: runKey, ...GiveBack.properties }),
  output: gives({ run: runKey, url, nextStep }),
  outside: [],
  async call(call, { run, ...input }) {
    await giveBackWork(call.ctx, run, input)
    return {
      run,
      url: await appUrl(call, 'runs', run),
      nextStep: 'The story is Ready again. Do not report on this run any more.',
    }
  },
})

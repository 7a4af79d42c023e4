import type { Sender as SenderShown } from '@signalbox/contract/app/senders.ts'
import { senders } from './index.ts'
import type { Sender } from './sender/sender.ts'

/** Every sender, as people are told about it. */
export const listSenders = (): SenderShown[] => Object.values(senders).map(shown)

const shown = ({ kind, recipe, proving, settings = [] }: Sender): SenderShown => ({
  kind,
  name: recipe.name,
  inSentence: recipe.inSentence ?? recipe.name,
  sourceName: recipe.sourceName ?? recipe.name,
  about: recipe.about,
  proof: proving.words,
  ownSecret: recipe.ownSecret ?? null,
  credentials: recipe.credentials ?? null,
  settings: settings.map(({ holds: _, must: __, ...asked }) => asked),
  tested: proving.alone?.tested ?? null,
})

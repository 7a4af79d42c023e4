import type { reads, writes } from '@signalbox/contract/app/suggestions.ts'
import { acceptSuggestion } from '../../../domain/engine/suggestions/accept.ts'
import { declineSuggestion } from '../../../domain/engine/suggestions/decline.ts'
import { listSuggestions } from '../../../domain/engine/suggestions/list.ts'
import { readSuggestion } from '../../../domain/engine/suggestions/read.ts'
import type { Handlers } from '../operation.ts'

export const suggestionsHandlers: Handlers<typeof reads & typeof writes> = {
  'suggestions.list': async (ctx) => ({ data: await listSuggestions(ctx) }),
  'suggestions.read': async (ctx, { team }) => ({ suggestion: await readSuggestion(ctx, team) }),
  'suggestions.accept': (ctx, answer) => acceptSuggestion(ctx, answer),
  'suggestions.decline': async (ctx, answer) => {
    await declineSuggestion(ctx, answer)
    return null
  },
}

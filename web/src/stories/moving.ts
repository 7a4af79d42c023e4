import type { BoardColumn, StoryRow } from '@signalbox/contract/app/stories.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { complain, say, toast } from '../ui/toast.tsx'
import { columnNames } from '../words/stories.ts'
import { withMoved } from './moves.ts'

type Role = StoryRow['column']['role']

/**
 * Moves cards of the board, one or many. They lie in their new column at once, faint until the server has agreed; what it
 * refuses goes back when the board is read again.
 */
export function useMoving(): (keys: readonly string[], to: Role) => Promise<void> {
  const [ws, client] = [useWorkspace(), useQueryClient()]
  const move = useWrite('stories.moveMany', { alsoStale: ['teams'] })
  const send = (keys: readonly string[], to: Role) => {
    const boards = { queryKey: [ws, 'stories', 'stories.board'] }
    // An answer from before would put them back for a moment.
    void client.cancelQueries(boards)
    client.setQueriesData<BoardColumn[]>(boards, (found) => found && withMoved(found, new Set(keys), to))
    return move.mutateAsync({ keys: [...keys], to })
  }
  const goBack = async (moved: readonly { key: string; from: Role }[]) => {
    for (const [from, those] of Map.groupBy(moved, (one) => one.from))
      await send(
        those.map(({ key }) => key),
        from,
      )
  }
  return async (keys, to) => {
    try {
      const { moved, refused } = await send(keys, to)
      const [first] = moved
      if (first)
        say(
          `${moved.length === 1 ? first.key : `${moved.length} stories`} moved to ${columnNames[to]}`,
          () => void goBack(moved).catch(complain),
        )
      if (refused.length > 0) toast({ type: 'error', title: notMoved(refused), timeout: 10_000 })
    } catch (error) {
      complain(error)
    }
  }
}

/** The first few say why; the rest are counted. */
function notMoved(refused: readonly { reason: string }[]): string {
  const told = refused.slice(0, 2).map(({ reason }) => reason)
  const rest = refused.length - told.length
  const more = rest > 0 ? ` ${rest} more couldn’t be moved.` : ''
  return `${told.join(' ')}${more}`
}

import type { StoryRow } from '@signalbox/contract/app/stories.ts'
import { createContext, useContext } from 'react'

/** What the cards and columns of a board share while someone works with it. */
export interface BoardUse {
  selected: ReadonlySet<string>
  /** Whether cards are being picked: then every card shows its box. */
  isSelecting: boolean
  toggle: (key: string) => void
  /** What is dragged now; empty: nothing. */
  dragged: readonly StoryRow[]
  /** What goes along when this card is dragged: all that are selected, if it is one of them. */
  takenWith: (key: string) => string[]
}

export const Board = createContext<BoardUse | null>(null)

export function useBoard(): BoardUse {
  const board = useContext(Board)
  if (!board) throw new Error('There is no board around this.')
  return board
}

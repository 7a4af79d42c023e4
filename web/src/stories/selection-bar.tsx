import type { StoryRow } from '@signalbox/contract/app/stories.ts'
import { ArrowRightLeft } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem, MenuLabel } from '../ui/menu.tsx'
import { columnNames, columnRoles } from '../words/stories.ts'
import { whyNoneThere } from './moves.ts'

interface Props {
  stories: readonly StoryRow[]
  onMove: (to: StoryRow['column']['role']) => void
  onClear: () => void
}

/** What can be done with the cards that are picked, all together. */
export function SelectionBar({ stories, onMove, onClear }: Props) {
  const none = stories.length === 0 && 'Select at least one story'
  return (
    <section
      aria-label="Selected stories"
      className="fixed bottom-20 left-1/2 z-30 flex -translate-x-1/2 items-center gap-3 rounded-xl border bg-raised py-2 pr-2 pl-4 shadow-pop md:bottom-6"
    >
      <span role="status" className="text-sm font-medium whitespace-nowrap tabular-nums">
        {stories.length} selected
      </span>
      {none ? (
        <Button forbidden={none} icon={<ArrowRightLeft size={14} />}>
          Move to…
        </Button>
      ) : (
        <Menu
          trigger={
            <Button look="primary" icon={<ArrowRightLeft size={14} />}>
              Move to…
            </Button>
          }
        >
          <MenuLabel>
            Move {stories.length === 1 ? stories[0]!.key : `${stories.length} stories`} to
          </MenuLabel>
          {columnRoles.map((role) => (
            <MenuItem key={role} forbidden={whyNoneThere(stories, role)} onSelect={() => onMove(role)}>
              {columnNames[role]}
            </MenuItem>
          ))}
        </Menu>
      )}
      <Button look="quiet" onClick={onClear}>
        Cancel
      </Button>
    </section>
  )
}

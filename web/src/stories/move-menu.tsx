import type { StoryRow } from '@signalbox/contract/app/stories.ts'
import { ArrowRightLeft } from 'lucide-react'
import { useWrite } from '../api/queries.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu, MenuItem, MenuLabel } from '../ui/menu.tsx'
import { complain, say } from '../ui/toast.tsx'
import { columnNames, columnRoles } from '../words/stories.ts'
import { follow } from './following.ts'
import { type Movable, whyNotMoved, whyNotThere } from './moves.ts'

interface Props {
  story: Movable
  withWords?: boolean
}

/** Moves a story to another column; what is not possible says why. */
export function MoveMenu({ story, withWords }: Props) {
  const move = useWrite('stories.move', { alsoStale: ['teams'] })
  // By promise: the card leaves its column, and its component with it, before the callbacks of the mutation run.
  const send = async (to: StoryRow['column']['role']) => move.mutateAsync({ key: story.key, to })
  const go = async (to: StoryRow['column']['role']) => {
    follow(story.key)
    try {
      const { from } = await send(to)
      say(`${story.key} moved to ${columnNames[to]}`, () => void send(from).catch(complain))
    } catch (error) {
      complain(error)
    }
  }
  const held = whyNotMoved(story)
  const button = withWords ? (
    <Button data-move="" forbidden={held} busy={move.isPending} icon={<ArrowRightLeft size={14} />}>
      Move to…
    </Button>
  ) : (
    <IconButton data-move="" label={`Move ${story.key} to…`} forbidden={held} busy={move.isPending}>
      <ArrowRightLeft size={14} />
    </IconButton>
  )
  // One reason for all columns is said once.
  if (held) return button
  return (
    <Menu trigger={button}>
      <MenuLabel>Move {story.key} to</MenuLabel>
      {columnRoles.map((role) => (
        <MenuItem key={role} forbidden={whyNotThere(story, role)} onSelect={() => void go(role)}>
          {columnNames[role]}
        </MenuItem>
      ))}
    </Menu>
  )
}

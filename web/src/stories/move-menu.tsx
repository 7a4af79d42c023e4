import type { StoryCard } from '@signalbox/contract/app/stories.ts'
import { ArrowRightLeft } from 'lucide-react'
import { useWrite } from '../api/queries.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu, MenuItem, MenuLabel } from '../ui/menu.tsx'
import { complain, say } from '../ui/toast.tsx'
import { whyNotMove } from './moves.ts'
import { columnNames, columnRoles } from './words.ts'

/** Moves a story to another column; what is not possible says why. */
export function MoveMenu({
  story,
  withWords,
}: {
  story: Pick<StoryCard, 'key' | 'draft' | 'column' | 'readinessScore' | 'run'>
  withWords?: boolean
}) {
  const move = useWrite('stories.move', { alsoStale: ['teams'] })
  const go = (to: StoryCard['column']['role']) =>
    move.mutate(
      { key: story.key, to },
      {
        onSuccess: ({ from }) =>
          say(`${story.key} is in ${columnNames[to]} now`, () =>
            move.mutate({ key: story.key, to: from }, { onError: complain }),
          ),
        onError: complain,
      },
    )
  return (
    <Menu
      trigger={
        withWords ? (
          <Button data-move="" busy={move.isPending} icon={<ArrowRightLeft size={14} />}>
            Move to…
          </Button>
        ) : (
          <IconButton data-move="" label={`Move ${story.key} to…`} busy={move.isPending}>
            <ArrowRightLeft size={14} />
          </IconButton>
        )
      }
    >
      <MenuLabel>Move {story.key} to</MenuLabel>
      {columnRoles.map((role) => (
        <MenuItem key={role} forbidden={whyNotMove(story, role)} onSelect={() => go(role)}>
          {columnNames[role]}
        </MenuItem>
      ))}
    </Menu>
  )
}

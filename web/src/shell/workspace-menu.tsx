import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, Plus } from 'lucide-react'
import { useMe } from '../api/me.ts'
import { useWorkspace } from '../api/queries.ts'
import { Menu, MenuChoices, MenuItem, MenuLine } from '../ui/menu.tsx'

/** Which workspace this is, and the way to another. */
export default function WorkspaceMenu() {
  const [slug, me, navigate] = [useWorkspace(), useMe(), useNavigate()]
  const here = me?.workspaces.find((workspace) => workspace.slug === slug)
  const name = here?.name ?? slug
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex h-10 w-full items-center gap-2 rounded-md px-2 text-left text-sm font-semibold hover:bg-hover"
        >
          <span
            aria-hidden="true"
            className="flex size-6 shrink-0 items-center justify-center rounded-md bg-accent-fill text-xs text-white uppercase"
          >
            {name.slice(0, 1)}
          </span>
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <ChevronsUpDown size={14} aria-hidden="true" className="text-muted" />
        </button>
      }
    >
      <MenuChoices
        label="Workspaces"
        value={slug}
        choices={me?.workspaces.map((workspace) => ({ value: workspace.slug, name: workspace.name })) ?? []}
        onChoose={(ws) => void navigate({ to: '/$ws/inbox', params: { ws } })}
      />
      <MenuLine />
      <MenuItem icon={<Plus size={14} />} onSelect={() => void navigate({ to: '/new' })}>
        Create workspace
      </MenuItem>
    </Menu>
  )
}

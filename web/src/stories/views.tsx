import type { StoryView, ViewFilter } from '@signalbox/contract/app/views.ts'
import { maxViewNameLength } from '@signalbox/contract/limits.ts'
import { Bookmark, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { useGo } from '../ui/link.ts'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu.tsx'
import { TextField } from '../ui/text-field.tsx'
import { isSameView, searchOf } from './view-search.ts'

/** The boards that a person has saved, for themselves, and the way to save this one. */
export function Views({ team, filter }: { team: string; filter: ViewFilter }) {
  const go = useGo()
  const views = useRead('views.list', {}).data ?? []
  const [isSaving, setSaving] = useState(false)
  const remove = useAction('views.remove', { said: 'View deleted' })
  const here = views.find((view) => isSameView(view, { team, filter }))
  const open = (view: StoryView) =>
    void go({
      to: '/$ws/teams/$team/board',
      params: { team: view.team },
      search: searchOf(view.filter) as never,
    })
  return (
    <>
      <Menu
        trigger={
          <Button icon={<Bookmark size={14} />} busy={remove.isPending}>
            <span className={`max-w-40 truncate ${here ? '' : 'max-sm:sr-only'}`}>
              {here?.name ?? 'Views'}
            </span>
          </Button>
        }
      >
        <MenuLabel>{views.length > 0 ? 'Your views' : 'No views yet'}</MenuLabel>
        {views.map((view) => (
          <MenuItem key={view.id} onSelect={() => open(view)}>
            <span className="block truncate">{view.name}</span>
            {view.team !== team && <span className="block text-xs text-muted">{view.teamName}</span>}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem icon={<Plus size={14} />} onSelect={() => setSaving(true)}>
          Save view…
        </MenuItem>
        {here && (
          <MenuItem danger icon={<Trash2 size={14} />} onSelect={() => remove.press({ id: here.id })}>
            Delete “{here.name}”
          </MenuItem>
        )}
      </Menu>
      {isSaving && (
        <SaveView
          team={team}
          filter={filter}
          names={views.map(({ name }) => name)}
          close={() => setSaving(false)}
        />
      )}
    </>
  )
}

function SaveView(given: { team: string; filter: ViewFilter; names: readonly string[]; close: () => void }) {
  const { team, filter, names, close } = given
  const [name, setName] = useState('')
  const save = useAction('views.save', { said: 'View saved', next: close })
  const replaces = names.includes(name.trim())
  return (
    <FormDialog
      title="Save view"
      description="The team, filters and sorting you see now, under a name. Only you see your views in this menu."
      of={save}
      action={replaces ? 'Replace view' : 'Save view'}
      forbidden={!name.trim() && 'Enter a name'}
      onClose={close}
      onSend={() => save.send({ team, name: name.trim(), filter })}
    >
      <TextField
        label="Name"
        required
        maxLength={maxViewNameLength}
        value={name}
        onChange={setName}
        hint={replaces ? 'You already have a view with this name. Saving replaces it.' : undefined}
      />
    </FormDialog>
  )
}

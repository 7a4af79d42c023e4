import type { PolicyPage, PolicyVersion } from '@signalbox/contract/app/policies.ts'
import { useParams } from '@tanstack/react-router'
import { ShieldQuestion } from 'lucide-react'
import { useState } from 'react'
import { type Failure, read } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { ManagedBanner, useLocked } from '../managed/managed.tsx'
import { Button } from '../ui/button.tsx'
import { LeaveGuard } from '../ui/leave-guard.tsx'
import { Empty, Loaded, Section, Skeleton } from '../ui/page.tsx'
import { complain, say } from '../ui/toast.tsx'
import { type Draft, differences, draftOf, onTop, settingsOf } from './differences.ts'
import { History } from './history.tsx'
import { Maintenance } from './maintenance.tsx'
import { type Meanwhile, SaveDialog } from './save-dialog.tsx'
import { SettingsForm } from './settings-form.tsx'
import { Suggestion, useSuggestion } from './suggestion.tsx'

export function PolicyScreen() {
  const { team } = useParams({ from: '/$ws/teams/$team/settings/policy' })
  const page = useRead('policies.read', { team })
  const { data, isLoading } = useSuggestion(team)
  const suggestion = data?.suggestion
  // It comes above the form, which would move away under a hand if it came later.
  if (isLoading) return <Skeleton />
  return (
    <Loaded of={page}>
      {(found) => (
        <div className="max-w-4xl">
          <ManagedBanner kind="policies" which={{ name: team }} />
          {suggestion && <Suggestion key={suggestion.maxLines} suggestion={suggestion} />}
          <Editor key={team} team={team} page={found} />
          <Maintenance team={team} />
          <History team={team} current={found.policy} />
        </div>
      )}
    </Loaded>
  )
}

/** What is being changed, and which version it began from. */
interface Editing {
  base: PolicyVersion | null
  draft: Draft
}

function Editor({ team, page }: { team: string; page: PolicyPage }) {
  const [ws, isAdmin, locked] = [useWorkspace(), useMay('admin'), useLocked('policies', { name: team })]
  const may = isAdmin && !locked
  const [editing, setEditing] = useState<Editing | null>(null)
  const [meanwhile, setMeanwhile] = useState<Meanwhile | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  // A team without a policy begins with the one that asks about everything.
  const inForce: Draft = page.policy
    ? draftOf(page.policy)
    : { ...page.presets.supervised, preset: 'supervised', executor: page.firstExecutor }
  const draft = editing?.draft ?? inForce
  const base = editing ? editing.base : page.policy
  const changes = differences(base && draftOf(base), draft)
  const isDirty = may && (editing !== null || !page.policy) && changes.length > 0

  const isOvertaken = editing !== null && editing.base?.version !== page.policy?.version

  const change = useWrite('policies.change', { alsoStale: ['teams'] })
  const save = (reason: string) =>
    change.mutate(
      {
        team,
        preset: draft.preset,
        settings: settingsOf(draft),
        basedOn: base?.version ?? 0,
        ...(reason ? { reason } : {}),
      },
      {
        onSuccess: ({ version }) => {
          say(`Policy saved as version ${version}`)
          setEditing(null)
          setIsSaving(false)
        },
        onError: (error) => void lookAt(error),
      },
    )

  /** Someone was faster: says who and what, and keeps everything typed. */
  async function lookAt(error: Failure) {
    if (!isOvertaking(error)) return
    try {
      const { data } = await read(ws, 'policies.versions', { team, limit: 1 })
      const theirs = data[0]
      if (!theirs) return complain(error)
      setMeanwhile({ theirs, by: theirs.by, changes: differences(base && draftOf(base), theirs) })
    } catch (failure) {
      complain(failure)
    }
  }

  const discard = () => {
    setEditing(null)
    setMeanwhile(null)
  }

  const review = () => {
    change.reset()
    setIsSaving(true)
  }

  const putOnTop = () => {
    if (!meanwhile) return
    const theirs = draftOf(meanwhile.theirs)
    setEditing({ base: meanwhile.theirs, draft: onTop(base && draftOf(base), draft, theirs) })
    setMeanwhile(null)
  }

  const hint = !isAdmin
    ? 'Only owners and admins can change the policy.'
    : page.policy
      ? 'Current runs keep the version they started with.'
      : 'The team won’t start any work without one. Choose a preset, adjust it and save.'
  if (!page.policy && !isAdmin)
    return (
      <Empty icon={ShieldQuestion} title="No policy yet">
        The team won’t start any work until an owner or admin sets one.
      </Empty>
    )
  return (
    <Section title={page.policy ? `Policy, version ${page.policy.version}` : 'No policy yet'} hint={hint}>
      <SettingsForm
        draft={draft}
        base={base && draftOf(base)}
        page={page}
        disabled={!may}
        onChange={(next) => setEditing({ base, draft: next })}
      />
      {isDirty && (
        <div className="sticky bottom-16 z-10 mt-3 flex flex-wrap items-center justify-between gap-2 rounded-lg border bg-raised px-3 py-2 shadow-pop md:bottom-3">
          <p role="status" className="text-sm">
            {pending(changes.length, page.policy !== null)}
            {' not saved'}
            {isOvertaken &&
              `. Version ${page.policy?.version} was saved in the meantime. You can review it before saving`}
          </p>
          <div className="flex gap-2">
            {editing && <Button onClick={discard}>Discard</Button>}
            <Button look="primary" onClick={review}>
              Review and save
            </Button>
          </div>
        </div>
      )}
      {isSaving && (
        <SaveDialog
          title={page.policy ? 'Change policy' : 'Set policy'}
          description={
            base
              ? `This becomes version ${base.version + 1}. Current runs keep the version they started with.`
              : 'This becomes version 1. The team then starts on stories in Ready.'
          }
          team={team}
          draft={draft}
          changes={changes}
          meanwhile={meanwhile}
          of={{ ...change, error: change.error && isOvertaking(change.error) ? null : change.error }}
          action="Save policy"
          onClose={() => setIsSaving(false)}
          onSave={save}
          onTop={putOnTop}
        />
      )}
      <LeaveGuard when={isDirty && editing !== null} what="The policy" />
    </Section>
  )
}

const isOvertaking = (error: Failure) => error.code === 'changed_meanwhile'

function pending(changes: number, isPolicy: boolean): string {
  if (!isPolicy) return 'First policy'
  return changes === 1 ? '1 change' : `${changes} changes`
}

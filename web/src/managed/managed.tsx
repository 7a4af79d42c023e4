import type { ManagedResource } from '@signalbox/contract/app/managed.ts'
import { type ResourceKind, resourceNouns } from '@signalbox/contract/resource-kinds.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { FileLock2, LockOpen } from 'lucide-react'
import { useForbidden, useMay } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Confirm, OpenButton } from '../ui/dialog.tsx'
import { Time } from '../ui/time.tsx'
import { differencesOf } from './differences.ts'

/** By its name in the file, or by its id. */
type Which = { name: string } | { id: string }

function useManaged(kind: ResourceKind, which: Which): ManagedResource | undefined {
  const { data } = useRead('managed.list', {})
  return data?.data.find(
    (one) => one.kind === kind && ('id' in which ? one.id === which.id : one.name === which.name),
  )
}

/** How it differs from the file, for those who may see its values; they are read only where a file manages something. */
function useDrift(managed: ManagedResource | undefined) {
  const { data } = useRead('managed.drift', {}, { enabled: useMay('admin') && managed !== undefined })
  const drift = data?.data.find((one) => one.kind === managed?.kind && one.id === managed.id)
  return differencesOf(drift?.fields ?? [])
}

/** Why it cannot be changed here; false: no file manages it, or someone has unlocked it. */
export function useLocked(kind: ResourceKind, which: Which): string | false {
  const managed = useManaged(kind, which)
  return managed !== undefined && managed.unlockedAt === null && 'Managed by file'
}

/** Why the person may not change it here: by their role, or because a file manages it. */
export function useForbiddenHere(what: string, kind: ResourceKind, which: Which, least: Role = 'admin') {
  const [byRole, locked] = [useForbidden(what, least), useLocked(kind, which)]
  return byRole || locked
}

/** Says that a file manages this, and lets owners and admins unlock it. */
export function ManagedBanner({ kind, which }: { kind: ResourceKind; which: Which }) {
  const managed = useManaged(kind, which)
  return managed ? <Banner managed={managed} /> : null
}

/** The same where there is no room for a banner, as in a row of a list. */
export function ManagedNote({ kind, which }: { kind: ResourceKind; which: Which }) {
  const managed = useManaged(kind, which)
  const differences = useDrift(managed)
  if (!managed) return null
  return (
    <span className="block text-xs text-muted">
      Managed by file{managed.unlockedAt && ', unlocked'}
      <Differences of={differences} />
    </span>
  )
}

/** “Differs from the file: role: member → admin”. */
function Differences({ of }: { of: ReturnType<typeof differencesOf> }) {
  if (of.length === 0) return null
  return (
    <span className="block break-words text-warn">
      Differs from the file:{' '}
      {of.map(({ field, file, now }, index) => (
        <span key={field}>
          {index > 0 && '; '}
          <code className="font-mono text-xs">{field}</code> <bdi>{file}</bdi> → <bdi>{now}</bdi>
        </span>
      ))}
    </span>
  )
}

/** For owners and admins, while the file manages it and no one has unlocked it. */
export function UnlockButton({ kind, id }: { kind: ResourceKind; id: string }) {
  const [forbidden, locked] = [useForbidden('unlock it'), useLocked(kind, { id })]
  if (!locked) return null
  return (
    <OpenButton label="Unlock" size="small" forbidden={forbidden}>
      {(close) => <Unlock kind={kind} id={id} onClose={close} />}
    </OpenButton>
  )
}

/** Asks whether to unlock it. */
export function Unlock({ kind, id, onClose }: { kind: ResourceKind; id: string; onClose: () => void }) {
  const unlock = useAction('managed.unlock', { said: 'Unlocked' })
  return (
    <Confirm
      title={`Unlock this ${resourceNouns[kind]}?`}
      action="Unlock"
      busy={unlock.isPending}
      onClose={onClose}
      onConfirm={() => unlock.press({ kind, id }, onClose)}
    >
      You can then change it here. The next time the file is applied, it overwrites your changes and locks it
      again. The audit log records who unlocked it.
    </Confirm>
  )
}

function Banner({ managed }: { managed: ManagedResource }) {
  const { kind, id, name, unlockedAt } = managed
  const differences = useDrift(managed)
  const Icon = unlockedAt ? LockOpen : FileLock2
  return (
    <div
      role="status"
      className={`mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border px-3 py-2 text-sm ${unlockedAt ? 'bg-warn-soft' : 'bg-surface'}`}
    >
      <Icon size={16} aria-hidden="true" className="shrink-0 text-muted" />
      <p className="min-w-0 flex-1 break-words">
        <strong className="font-semibold">Managed by file</strong>{' '}
        <span className="text-muted">
          {unlockedAt ? (
            <>
              Unlocked <Time at={unlockedAt} />. Changes made here are overwritten the next time the file is
              applied.
            </>
          ) : (
            <>
              as <code className="font-mono text-xs">{`${kind}.${name}`}</code>. Change it in the file and
              apply it.
            </>
          )}
        </span>
        <Differences of={differences} />
      </p>
      <UnlockButton kind={kind} id={id} />
    </div>
  )
}

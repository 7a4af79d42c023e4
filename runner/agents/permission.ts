import path from 'node:path'
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk/unstable'
import type { Setup } from './setup.ts'

type ToolCall = RequestPermissionRequest['toolCall']

/** What is allowed to an agent that asks, and what it asked for, in words. It is no boundary: not every agent asks. */
export function judge(
  call: ToolCall,
  setup: Pick<Setup, 'worktree' | 'out' | 'readOnly' | 'denied' | 'beside'>,
): { isAllowed: boolean; what: string } {
  const what = call.title ?? call.kind ?? 'an unnamed tool'
  const places = placesOf(call).map((place) => path.resolve(setup.worktree, place))
  const isChange = ['edit', 'delete', 'move'].includes(call.kind ?? '')
  if (call.kind === 'fetch' || call.kind === 'switch_mode') return { isAllowed: false, what }
  // Where it is not said what is changed, the box and the guard have to see it.
  const isAllowed = places.every((place) => (isChange ? mayChange(place, setup) : isOurs(place, setup)))
  return { isAllowed, what }
}

const within = (place: string, folder: string) => place === folder || place.startsWith(`${folder}${path.sep}`)

const isOurs = (place: string, { worktree, out, beside }: Pick<Setup, 'worktree' | 'out' | 'beside'>) =>
  within(place, worktree) ||
  beside.some(({ folder }) => within(place, folder)) ||
  (out !== null && within(place, out))

function mayChange(
  place: string,
  setup: Pick<Setup, 'worktree' | 'out' | 'readOnly' | 'denied' | 'beside'>,
): boolean {
  if (setup.out !== null && within(place, setup.out)) return true
  const { worktree, denied, beside } = setup
  const of = [{ folder: worktree, denied }, ...beside].find(({ folder }) => within(place, folder))
  if (setup.readOnly || !of) return false
  return !of.denied.some((each) => within(place, path.join(of.folder, each)))
}

const names = ['path', 'file_path', 'filePath', 'abs_path', 'cwd', 'directory', 'dir_path']

/** Every path that a call names: as places, as changes it shows, or in its input. */
function placesOf(call: ToolCall): string[] {
  const input = (call.rawInput ?? {}) as Record<string, unknown>
  return [
    ...(call.locations ?? []).map((location) => location.path),
    ...(call.content ?? []).flatMap((content) => (content.type === 'diff' ? [content.path] : [])),
    ...names.map((name) => input[name]).filter((value) => typeof value === 'string'),
    ...(typeof input.changes === 'object' && input.changes !== null ? Object.keys(input.changes) : []),
  ]
}

import { CommandError } from './command-error.ts'

export type KindOfKey = 'decision' | 'run' | 'story' | 'incident'

const shapes: [KindOfKey, RegExp][] = [
  ['decision', /^dec-[a-z0-9]{4}$/],
  ['run', /^run-[a-z0-9]{4}$/],
  ['incident', /^inc-[a-z0-9]{4}$/],
  ['story', /^[A-Z][A-Z0-9]{0,9}-[1-9][0-9]{0,8}$/],
]

/** What a key names, by its shape. */
export function kindOfKey(key: string): KindOfKey {
  const found = shapes.find(([, shape]) => shape.test(key))
  if (!found)
    throw new CommandError(
      `"${key}" is not a key. Keys look like dec-k3x9, run-7k2q, inc-4m1p or WEB-12.`,
      'usage',
    )
  return found[0]
}

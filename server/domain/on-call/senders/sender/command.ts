import type { Sender } from './sender.ts'

/**
 * Shell commands that send a test by hand, proven as the sender proves itself; null where only the sender can. They
 * expect the address in $URL and the secret in $SECRET.
 */
export function commandOf(
  { recipe: { body }, proving }: Pick<Sender, 'recipe' | 'proving'>,
  settings: Readonly<Record<string, unknown>>,
): string | null {
  if (body === undefined || !proving.shell) return null
  return [`BODY='${body}'`, ...proving.shell(settings)].join('\n')
}

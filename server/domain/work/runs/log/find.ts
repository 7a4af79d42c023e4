import type { Context } from '../../../context.ts'
import { selectQuoted } from './store.ts'

/** On which line of a log each of these was printed last. What is not there has none. */
export async function findLines(
  ctx: Pick<Context, 'db' | 'workspaceId'>,
  runId: string,
  texts: readonly string[],
): Promise<Map<string, number>> {
  const lines = await selectQuoted(ctx.db, ctx.workspaceId, runId, [...new Set(texts)])
  return new Map(lines.map(({ text, position }) => [text, position]))
}

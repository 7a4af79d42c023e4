import type { Db } from '../../../infra/db/db.ts'

/** By node, and there by decision. */
const answering = new WeakMap<Db, Map<string, Promise<unknown>>>()

/**
 * On this node, answers to a decision wait for the one under way without holding a connection. Otherwise each would
 * hold one while it waits for the first, and all other writes would queue behind them. Once the first is through,
 * `notLate` throws what the others are told, from a read that they share. If the first fails, the others all go on.
 */
export async function answerOneAtATime<T>(
  { db, decisionId }: { db: Db; decisionId: string },
  notLate: () => Promise<void>,
  answer: () => Promise<T>,
): Promise<T> {
  const underWay = answering.get(db) ?? new Map<string, Promise<unknown>>()
  answering.set(db, underWay)
  for (let first = underWay.get(decisionId); first; first = underWay.get(decisionId)) {
    const isAnswered = await first.then(
      () => true,
      () => false,
    )
    if (!isAnswered) return answer()
    await notLate()
  }
  const mine = answer()
  underWay.set(decisionId, mine)
  return mine.finally(() => underWay.delete(decisionId))
}

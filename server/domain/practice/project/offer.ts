import type { PracticeOffer } from '@signalbox/contract/app/practice.ts'
import type { Context } from '../../context.ts'
import type { PracticeGround } from '../../ports/practice-ground.ts'
import { readPractice } from './read.ts'

/** The practice project, or what is in the way of one. */
export async function offerPractice(
  ctx: Context,
  ground: Pick<PracticeGround, 'obstacle'>,
): Promise<PracticeOffer> {
  const project = await readPractice(ctx)
  return { project, obstacle: project ? null : await ground.obstacle() }
}

import type { StoryView } from '@signalbox/contract/app/views.ts'
import type { Context } from '../../context.ts'
import { selectViews } from './store.ts'

/** The views that a person has saved in the workspace, by name. */
export const listViews = async (ctx: Context, personId: string): Promise<StoryView[]> => [
  ...(await selectViews(ctx.db, ctx.workspaceId, personId)),
]

import { readWorkspace } from '../../../domain/accounts/workspaces/read.ts'
import type { Call } from './tool.ts'

/** A workspace keeps its slug for good. */
const slugs = new Map<string, string>()
const most = 10_000

/** Where a person finds it in the app. */
export async function appUrl({ ctx, services }: Call, ...path: string[]): Promise<string> {
  let slug = slugs.get(ctx.workspaceId)
  if (slug === undefined) {
    slug = (await readWorkspace(ctx)).slug
    if (slugs.size >= most) slugs.clear()
    slugs.set(ctx.workspaceId, slug)
  }
  return [services.publicUrl(), slug, ...path].join('/')
}

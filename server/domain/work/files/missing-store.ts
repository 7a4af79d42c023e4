import { reads } from '../../../infra/db/queries.ts'
import type * as Sql from './missing-store.types.ts'

/** Which of these were not uploaded for the run. */
export const selectMissing = reads.column<Sql.SelectMissing>('workspaceId, runId, files')(`
  select f.sha256 as "sha256!" from unnest(:files::text[]) as f(sha256)
  where not exists (
    select from run_files k
    where k.workspace_id = :workspaceId and k.run_id = :runId and k.sha256 = f.sha256
  )`)

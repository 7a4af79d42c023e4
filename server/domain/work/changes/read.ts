import type { Diff, DiffFile } from '@signalbox/contract/app/runs.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { readFile } from '../files/read.ts'
import type { Lane } from '../runs/race.ts'
import { type ParsedFile, parseDiff } from './parse-diff.ts'
import { selectChange } from './store.ts'

/** The most a page shows initially; the rest can be requested file by file. */
const most = { files: 2_000, linesShown: 500, fileLength: 200_000, length: 2_000_000 }

/**
 * The change of a run as its runner uploaded it; null while there is none, and when it went with its age. It is read from what the server keeps, so
 * that it can be looked at before it is merged and when its branch is long gone. Of a race it can be either agent's.
 */
export async function readDiff(ctx: Context, key: string, path?: string, agent?: Lane): Promise<Diff | null> {
  const found = await readFound(ctx, key, agent)
  return found.files && shownDiff(found.files, found.findings ?? [], path)
}

/** A change as a page shows it: all of it, or one of its files. */
export function shownDiff(all: ParsedFile[], findings: Diff['findings'], path?: string): Diff {
  const wanted = path === undefined ? all : all.filter((file) => file.path === path)
  let left = path === undefined ? most.length : Number.POSITIVE_INFINITY
  const files = wanted.slice(0, most.files).map((file): DiffFile => {
    const fits = path !== undefined || (file.hunks.length <= most.fileLength && file.hunks.length <= left)
    if (fits) left -= file.hunks.length
    return { ...file, isLarge: isLarge(file), hunks: fits ? file.hunks : null }
  })
  return {
    files,
    moreFiles: wanted.length - files.length,
    additions: sum(all, ({ additions }) => additions),
    deletions: sum(all, ({ deletions }) => deletions),
    findings,
  }
}

/** The files of a run's change with all of their hunks; null while there is none. */
export const readFiles = async (ctx: Context, key: string): Promise<ParsedFile[] | null> =>
  (await readFound(ctx, key)).files

async function readFound(ctx: Context, key: string, agent?: Lane) {
  const found = await selectChange(ctx.db, ctx.workspaceId, key, agent === undefined ? null : String(agent))
  if (!found) throw notFound('run', key)
  const { diff, diffs, findings, isRemoved } = found
  if (isRemoved || (!diff && diffs.length === 0)) return { files: null, findings }
  const parsed = async (file: string) => parseDiff((await readFile(ctx, file)).toString('utf8'))
  const files: ParsedFile[] = diffs.length === 0 ? await parsed(diff!) : []
  for (const { name, diff: file } of diffs)
    files.push(...(await parsed(file)).map((one) => inRepository(name, one)))
  return { files, findings }
}

/** Named as in everything else that is said of a change in several repositories: `halden/api:src/app.ts`. */
const inRepository = (name: string, file: ParsedFile): ParsedFile => ({
  ...file,
  path: `${name}:${file.path}`,
  oldPath: file.oldPath === null ? null : `${name}:${file.oldPath}`,
})

const isLarge = ({ additions, deletions, hunks }: ParsedFile) =>
  additions + deletions > most.linesShown || hunks.length > most.fileLength
const sum = (files: ParsedFile[], of: (file: ParsedFile) => number) =>
  files.reduce((total, file) => total + of(file), 0)

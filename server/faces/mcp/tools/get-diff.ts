import { Diff, DiffFile } from '@signalbox/contract/app/runs.ts'
import { runKey } from '@signalbox/contract/keys.ts'
import { maxPathLength } from '@signalbox/contract/limits.ts'
import { nullable } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { readDiff } from '../../../domain/work/changes/read.ts'
import { filesRemovedAt } from '../../../domain/work/files/removed-at.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, optional, reads, takes, text, tool, url } from '../calls/tool.ts'

/** What fits beside the rest of a conversation, in characters: of the whole change, and of a file that is asked for. */
const most = { all: 16_000, file: 60_000 }

const { path, status, additions, deletions, hunks } = DiffFile.properties

export const getDiff = tool({
  name: 'get_diff',
  title: 'Read the diff of a run',
  description:
    'Reads the change that a run made: its files, the diff as far as it fits (hunks is null where it does not), and what stands out in it (findings). With path, that one file at length.',
  toolset: 'default',
  hints: reads,
  input: takes({
    run: runKey,
    path: optional(text('Only this file, as it is named in files.', maxPathLength)),
  }),
  output: gives({
    run: runKey,
    diff: nullable(
      Type.Object({
        ...Diff.properties,
        files: Type.Array(Type.Object({ path, status, additions, deletions, hunks })),
      }),
    ),
    url,
    nextStep,
  }),
  outside: ['diff.files.path', 'diff.files.hunks', 'diff.findings'],
  async call(call, { run, path }) {
    const found = await readDiff(call.ctx, run, path)
    if (path !== undefined && found?.files.length === 0)
      throw new DomainError(
        'invalid_request',
        '`path` is not in the change of this run. Call get_diff without it to see the files.',
      )
    let left = path === undefined ? most.all : most.file
    const files = (found?.files ?? []).map(({ path, status, additions, deletions, hunks }) => {
      const fits = hunks !== null && hunks.length <= left
      if (fits) left -= hunks.length
      return { path, status, additions, deletions, hunks: fits ? hunks : null }
    })
    const isWhole = files.every(({ hunks }) => hunks !== null)
    return {
      run,
      diff: found && { ...found, files },
      url: await appUrl(call, 'runs', run),
      nextStep:
        !found && (await filesRemovedAt(call.ctx, run))
          ? 'The diff was removed because of its age. Open the pull request of the run to see the change.'
          : nextStepOf({ hasDiff: found !== null, isWhole, isOneFile: path !== undefined }),
    }
  },
})

function nextStepOf({ hasDiff, isWhole, isOneFile }: Record<'hasDiff' | 'isWhole' | 'isOneFile', boolean>) {
  if (!hasDiff) return 'The run has no change yet. Call get_run to see how far it is.'
  if (isWhole) return 'This is all of it.'
  return isOneFile
    ? 'The file is too long to be shown here. Its page in the app shows all of it.'
    : 'Call get_diff with the path of a file whose hunks are null to see it.'
}

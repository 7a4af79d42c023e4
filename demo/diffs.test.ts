import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDiff } from '../server/domain/work/changes/parse-diff.ts'
import { haldenParcels } from './halden-parcels/workspace.ts'
import { scriptedDiff } from './shorthand/diff.ts'

test('a scripted diff has the files and lines of its change, whatever they are', () => {
  const changes = haldenParcels.teams.flatMap(({ runs }) =>
    runs.flatMap(({ evidence }) => evidence?.changes ?? []),
  )
  for (const { paths, additions, deletions } of [
    ...changes,
    { paths: ['a.ts', 'b.md', 'c.sql'], additions: 1, deletions: 2 },
  ]) {
    const files = parseDiff(scriptedDiff({ paths, additions, deletions }))
    const sum = (of: 'additions' | 'deletions') => files.reduce((total, file) => total + file[of], 0)
    assert.deepEqual(
      [files.map(({ path }) => path), sum('additions'), sum('deletions')],
      [paths, additions, deletions],
    )
  }
})

test('a diff of the demo has the files and lines that its run tells of', () => {
  const runs = haldenParcels.teams.flatMap((team) => team.runs).filter(({ diff }) => diff)
  assert.ok(runs.length > 1)
  for (const { id, diff, evidence } of runs) {
    const files = parseDiff(diff!.text)
    const sum = (of: 'additions' | 'deletions') => files.reduce((total, file) => total + file[of], 0)
    const { paths, ...counts } = evidence!.changes
    assert.deepEqual(
      counts,
      { files: files.length, additions: sum('additions'), deletions: sum('deletions') },
      id,
    )
    assert.deepEqual(paths.toSorted(), files.map((file) => file.path).toSorted(), id)
  }
})

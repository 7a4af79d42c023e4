import { type ControlKind, controls } from '@signalbox/contract/guard/controls.ts'
import {
  type FindingGroup,
  type FindingKind,
  findingGroups,
  findingKinds,
  findingWords,
} from '@signalbox/contract/guard/finding.ts'
import { linedManifests, packageManifests, pythonManifests } from '@signalbox/contract/guard/manifests.ts'
import { lockFiles, manifestFiles } from '@signalbox/contract/guard/package-sources.ts'

/** The manual's page of everything that the diff guard finds: what it covers, why it matters, and how to allow it. */
export function guardKinds(): string {
  const groups = Object.keys(findingGroups) as FindingGroup[]
  return `# What the diff guard asks about

Some files run automatically, decide how later work is done, or hide what they say. When a run's change touches one, the diff guard records a finding, and a person is asked before the change is merged, whatever the merge policy and however small the change. The [manual page on gates](gates.md#the-diff-guard) says what is denied and refused.

Findings are made from git's own objects, never from what an agent or a runner says about them. It makes no difference how a path is spelled: case, accents, invisible or wide letters, streams and short names of Windows, or a link that leads there. Where a change has many findings of one kind, they are grouped by folder with a count.

## Allow a kind

By default every policy asks about all of them, in every preset. To let one pass without asking:

1. Open the team's **Settings**, then **Policy**.
2. Under **Ask a person when a change touches**, clear its box.
3. Select **Review and save**. The dialog shows what changes and which earlier runs would have gone differently.

Owners and admins can do this. The change is in the audit log like any other, and runs that are already working keep the policy they started with. In the settings of a policy the list is \`allowedFindings\`, with the names from the tables below; what isn't in it is asked about. Choosing a preset asks about everything again.

A finding stays in the evidence and with the diff when its kind is allowed: allowing it only means that no one is asked.

${groups.map(sectionOf).join('\n\n')}

## What isn't promised

The guard knows the files of the tools listed here. A tool that isn't listed, or a program that ordinary source code starts, isn't found: for that there are [denied paths](gates.md#the-diff-guard), reviews and the [box](box.md). Invisible characters that are part of how people write aren't findings: joiners in emoji and in Persian or Indic words, letters of right-to-left scripts, and a byte order mark at the start of a file.

Generated from \`contract/guard/\`.
`
}

const sectionOf = (group: FindingGroup): string => {
  const kinds = findingKinds.filter((kind) => findingWords[kind].group === group)
  return `## ${findingGroups[group]}

| Kind | Name | What it covers | Why it matters |
|---|---|---|---|
${kinds.map((kind) => `| ${findingWords[kind].label} | \`${kind}\` | ${findingWords[kind].covers} | ${findingWords[kind].why} |`).join('\n')}
${kinds.flatMap(pathsOf).join('')}`.trimEnd()
}

function pathsOf(kind: FindingKind): string[] {
  const paths = pathsByWhat(kind)
  if (paths.length === 0) return []
  const rows = paths.map(([what, globs]) => `| ${what} | ${globs.map((glob) => `\`${glob}\``).join(', ')} |`)
  return [
    `
<details><summary>${findingWords[kind].label}: the paths</summary>

| What | Paths |
|---|---|
${rows.join('\n')}

</details>
`,
  ]
}

const isControl = (kind: FindingKind): kind is ControlKind => Object.hasOwn(controls, kind)

function pathsByWhat(kind: FindingKind): [what: string, globs: readonly string[]][] {
  if (kind === 'sources')
    return [
      ['lock files', lockFiles],
      ['manifests, in what they ask for by an address', manifestFiles],
    ]
  if (!isControl(kind)) return []
  const lined = linedManifests.filter((one) => one.kind === kind)
  return [
    ...Object.entries(controls[kind].of),
    ...lined.map(({ what, globs }): [string, string[]] => [
      `${what}, but for lines that only name a dependency`,
      globs,
    ]),
    ...inside(kind),
  ]
}

/** Files of many purposes, of which only some fields are of a kind. */
function inside(kind: ControlKind): [string, string[]][] {
  const python = ['install', 'registry', 'checks'].includes(kind)
  const node = ['install', 'build', 'checks', 'hooks', 'registry'].includes(kind)
  return [
    ...(node ? [['their fields in a package', packageManifests] as [string, string[]]] : []),
    ...(python ? [['their tables in a Python project', pythonManifests] as [string, string[]]] : []),
  ]
}

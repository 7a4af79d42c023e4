import type { ControlKind } from './controls.ts'
import { GlobIndex } from './glob-index.ts'

/** What of a file of many purposes is of a kind that is told. */
export interface FoundControl {
  kind: ControlKind
  what: string
}

/**
 * Files that name dependencies and also say what runs. Lines of which each names a dependency, or a file, are ordinary;
 * all the others have to be as they were, in the order in which they were.
 */
interface Lines extends FoundControl {
  globs: string[]
  plain: RegExp
}

const version = String.raw`[\w.+~^=<>*, -]*`

export const linedManifests: Lines[] = [
  {
    kind: 'build',
    what: 'how Maven builds and checks the project',
    globs: ['**/pom.xml'],
    plain:
      /^\s*(?:<\/?(?:dependency|exclusion)>|<(groupId|artifactId|version|scope|type|optional|classifier)>[\w.${}-]+<\/\1>)\s*$/,
  },
  {
    kind: 'build',
    what: 'how Gradle builds and checks the project',
    globs: ['**/*.gradle', '**/*.gradle.kts'],
    plain:
      /^\s*(?:(?:debug|release|test|androidTest|kotlin)?(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[aA]nnotationProcessor)|ksp|kapt)[ (]+(?:platform\()?(?:['"][\w.:+-]+['"]|libs\.[\w.]+)\)*\s*$/,
  },
  {
    kind: 'build',
    what: 'how sbt builds and checks the project',
    globs: ['**/build.sbt', '**/build.sc', '**/build.mill'],
    plain: /^\s*"[\w.-]+" %%?%? "[\w.-]+" % "[\w.-]+"(?: % (?:Test|"test"))?,?\s*$/,
  },
  {
    kind: 'build',
    what: 'how .NET builds and checks the project',
    globs: ['**/*.csproj', '**/*.fsproj', '**/*.vbproj'],
    plain:
      /^\s*(?:<\/?ItemGroup>|<PackageReference Include="[\w.-]+"(?: Version="[\w.*-]+")? ?\/>|<(?:Compile|Content|None|EmbeddedResource) (?:Include|Remove|Update)="[\w./\\*-]+" ?\/>)\s*$/,
  },
  {
    kind: 'build',
    what: 'how CMake or Meson builds the project',
    globs: ['**/CMakeLists.txt', '**/meson.build'],
    plain: /^\s*['"]?[\w./-]+\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|s|rs|f90|proto|ui|qrc|qml)['"]?,?\s*$/,
  },
  {
    kind: 'install',
    what: 'code that Bundler runs',
    globs: ['**/Gemfile', '**/gems.rb'],
    plain: new RegExp(String.raw`^\s*gem ['"][\w.-]+['"](?:, ['"]${version}['"])*\s*$`),
  },
  {
    kind: 'install',
    what: 'code that CocoaPods runs',
    globs: ['**/Podfile'],
    plain: new RegExp(String.raw`^\s*pod ['"][\w.\/-]+['"](?:, ['"]${version}['"])*\s*$`),
  },
  {
    kind: 'install',
    what: 'code that the Swift package manager runs',
    globs: ['**/Package.swift', '**/Package@*.swift'],
    plain: /^\s*\.(?:product\(name: "[\w-]+", package: "[\w.-]+"\)|target\(name: "[\w-]+"\)),?\s*$/,
  },
  {
    kind: 'install',
    what: 'code that Mix runs',
    globs: ['**/mix.exs'],
    plain: new RegExp(String.raw`^\s*\{:\w+, "${version}"(?:, only: :\w+)?\},?\s*$`),
  },
  {
    kind: 'registry',
    what: 'pnpm',
    globs: ['**/pnpm-workspace.y*ml'],
    plain: /^\s+['"]?(?:@[\w.-]+\/)?[\w.-]+['"]?:\s+['"]?[~^]?\d[\w.+-]*['"]?\s*$/,
  },
]

export const packageManifests = ['**/package.json', '**/package.json5', '**/package.y*ml']
const denoManifests = ['**/deno.json', '**/deno.jsonc']
export const pythonManifests = ['**/pyproject.toml']

type Tell = (before: string | null, after: string | null) => FoundControl[]

/** What of a file that names dependencies has changed apart from them; null: it is no such file. */
export function manifestCheckFor(path: string): Tell | null {
  return index.at(path)[0] ?? null
}

const rest = (text: string | null, plain: RegExp): string =>
  (text ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !plain.test(line))
    .join('\n')

/** What is done to a file with fields: each is compared as a whole. */
interface Fields extends FoundControl {
  of: (root: Record<string, unknown>) => unknown
}

const lifecycle = [
  ...['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'],
  ...['prepack', 'postpack', 'dependencies'],
]
const builtFields = [
  'onlyBuiltDependencies',
  'neverBuiltDependencies',
  'onlyBuiltDependenciesFile',
  'allowBuilds',
]

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object'
const some = (value: unknown, isWanted: (key: string) => boolean): Record<string, unknown> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([key]) => isWanted(key))
          .sort(byName),
      )
    : {}
const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
const named =
  (...names: string[]) =>
  (root: Record<string, unknown>) =>
    some(root, (key) => names.includes(key))

const packageFields: Fields[] = [
  {
    kind: 'install',
    what: 'the install scripts of the package',
    of: (root) => [
      some(root.scripts, (name) => lifecycle.includes(name)),
      some(root.pnpm, (name) => builtFields.includes(name)),
      named('trustedDependencies', 'allowScripts', 'lavamoat', 'gypfile')(root),
    ],
  },
  {
    kind: 'build',
    what: 'the scripts of the package',
    of: (root) => [
      some(root.scripts, (name) => !lifecycle.includes(name)),
      named('packageManager', 'workspaces', 'wireit', 'nx', 'volta', 'devEngines', 'betterScripts')(root),
    ],
  },
  {
    kind: 'checks',
    what: 'how tests or linters are set up',
    of: named(
      ...['jest', 'mocha', 'ava', 'tap', 'c8', 'nyc', 'vitest', 'eslintConfig', 'eslintIgnore', 'stylelint'],
      ...['prettier', 'xo', 'standard', 'biome', 'knip', 'size-limit', 'browserslist', 'babel', 'commitlint'],
    ),
  },
  {
    kind: 'hooks',
    what: 'hooks of the package',
    of: named('husky', 'lint-staged', 'simple-git-hooks', 'pre-commit', 'pre-push', 'gitHooks', 'ghooks'),
  },
  {
    kind: 'registry',
    what: 'settings for the package manager',
    of: (root) => [
      some(root.pnpm, (name) => name !== 'overrides' && !builtFields.includes(name)),
      named('publishConfig', 'config', 'dependenciesMeta', 'installConfig')(root),
    ],
  },
]

const denoFields: Fields[] = [
  {
    kind: 'build',
    what: 'tasks and settings of Deno',
    of: (root) =>
      some(root, (key) => !['imports', 'scopes', 'name', 'version', 'exports', 'license'].includes(key)),
  },
]

function controlsInFields(fields: Fields[], before: string | null, after: string | null): FoundControl[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  return fields
    .filter(({ of }) => !old || !now || JSON.stringify(of(old)) !== JSON.stringify(of(now)))
    .map(({ kind, what }) => ({ kind, what }))
    .slice(0, old && now ? undefined : 2)
}

/** Null: it cannot be read, so it is unknown. */
function fieldsOf(text: string | null): Record<string, unknown> | null {
  if (text === null) return {}
  try {
    const root: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return isObject(root) && !Array.isArray(root) ? root : null
  } catch {
    return null
  }
}

/** Tables of a `pyproject.toml` in which people and tools change dependencies and descriptions all the time. */
const ordinaryTables =
  /^\[(?:project(?:\.(?:optional-dependencies|urls|scripts|gui-scripts|entry-points\.[\w.-]+|readme|license))?|dependency-groups|tool\.poetry\.(?:dependencies|dev-dependencies|extras|urls|group\.[\w-]+\.dependencies)|tool\.pdm\.dev-dependencies|tool\.commitizen|tool\.bumpversion)\][ \t\r]*(?:#[^\n]*)?\n/

const tables: [kind: ControlKind, what: string, begins: RegExp][] = [
  [
    'install',
    'how the Python package is built',
    /^\[(?:build-system|tool\.(?:setuptools|hatch|flit|maturin|scikit-build))/,
  ],
  ['registry', 'where Python packages come from', /^\[\[?tool\.(?:uv|pip|pdm|pixi|poetry)/],
  ['checks', 'how tests or linters are set up', /^/],
]

/** The rest is compared table by table. A text over several lines could hide a table in an ordinary one. */
function controlsInTables(before: string | null, after: string | null): FoundControl[] {
  const [old, now] = [tablesOf(before), tablesOf(after)]
  return tables.filter(([kind]) => old.get(kind) !== now.get(kind)).map(([kind, what]) => ({ kind, what }))
}

function tablesOf(text: string | null): Map<ControlKind, string> {
  const found = new Map<ControlKind, string>()
  for (const table of (text ?? '').split(/^(?=\[)/m)) {
    const isOrdinary = ordinaryTables.test(`${table}\n`) && !/"""|'{3}/.test(table)
    if (isOrdinary || table.trim() === '') continue
    const kind = tables.find(([, , begins]) => begins.test(table))![0]
    found.set(kind, `${found.get(kind) ?? ''}${table.trimEnd()}\n`)
  }
  return found
}

/** Null stands for a file that is not there; what cannot be read has changed in every way. */
const index = new GlobIndex<Tell>([
  [packageManifests, (before, after) => controlsInFields(packageFields, before, after)],
  [denoManifests, (before, after) => controlsInFields(denoFields, before, after)],
  [pythonManifests, controlsInTables],
  ...linedManifests.map(({ globs, plain, kind, what }): [string[], Tell] => [
    globs,
    (before, after) => (rest(before, plain) === rest(after, plain) ? [] : [{ kind, what }]),
  ]),
])

import { dictionary } from '@signalbox/contract/dictionary.ts'
import { parse } from 'yaml'
import type { GateDefinition, GatePlan } from './gate.ts'
import { usualTimeoutSeconds } from './gates-file.ts'

/** What is looked at to know a project: the names of files, and some of their texts. All of it from the base. */
export interface Project {
  paths: string[]
  read: (path: string) => Promise<string | null>
}

/** One folder of it. */
interface Folder {
  /** Files and folders directly in it. */
  names: Set<string>
  has: (...forms: (string | RegExp)[]) => string | null
  read: (name: string) => Promise<string>
}

interface Step {
  run: string
  name?: string
  report?: GateDefinition['report']
  network?: GateDefinition['network']
}

interface Found {
  setUp: Step[]
  gates: (Step & { name: string })[]
}

interface Rule {
  name: string
  /** Null: this is no such project. */
  find: (folder: Folder) => Promise<Found | null>
}

/** The smallest set of rules by which most projects are known; the first one that fits a folder counts. */
const rules: Rule[] = [
  { name: 'package.json', find: node },
  { name: 'Python', find: python },
  { name: 'go.mod', find: go },
  { name: 'Cargo.toml', find: cargo },
  { name: 'pom.xml', find: maven },
  { name: 'Gradle', find: gradle },
  { name: '.NET', find: dotnet },
  { name: 'a file of targets', find: targets },
]

/** The root, else the folders one level down. */
export async function planByRules(project: Project): Promise<GatePlan> {
  const root = await planOf(project, '.')
  if (root.from) return root
  const below = new Set(project.paths.flatMap((path) => (path.includes('/') ? [path.split('/')[0]!] : [])))
  const plans: GatePlan[] = []
  for (const folder of [...below].sort())
    if (!folder.startsWith('.')) plans.push(await planOf(project, folder))
  return {
    setUp: plans.flatMap(({ setUp }) => setUp),
    gates: plans.flatMap(({ gates }) => gates),
    from: plans.flatMap(({ from }) => from ?? []).join(', ') || null,
  }
}

async function planOf({ paths, read }: Project, at: string): Promise<GatePlan> {
  const start = at === '.' ? '' : `${at}/`
  const names = new Set(
    paths.flatMap((path) => (path.startsWith(start) ? [path.slice(start.length).split('/')[0]!] : [])),
  )
  const folder: Folder = {
    names,
    has: (...forms) =>
      [...names]
        .sort()
        .find((name) => forms.some((form) => (typeof form === 'string' ? form === name : form.test(name)))) ??
      null,
    read: async (name) => (await read(`${start}${name}`)) ?? '',
  }
  const label = (name: string) => (at === '.' ? name : `${at}: ${name}`)
  const whole = (step: Step): GateDefinition => ({
    name: label(step.name ?? step.run),
    run: step.run,
    folder: at,
    timeoutSeconds: usualTimeoutSeconds,
    report: step.report ?? null,
    network: step.network ?? 'none',
  })
  for (const rule of rules) {
    const found = await rule.find(folder)
    if (found)
      return {
        setUp: found.setUp.map((step) => whole({ network: 'registries', ...step })),
        gates: found.gates.map(whole),
        from: label(rule.name),
      }
  }
  return { setUp: [], gates: [], from: null }
}

async function node({ has, read }: Folder): Promise<Found | null> {
  if (!has('package.json')) return null
  const { scripts = {}, packageManager = '', ...rest } = parsedJson(await read('package.json'))
  const tool = String(packageManager).split('@')[0] || toolByLock(has)
  const needs = ['dependencies', 'devDependencies', 'workspaces'].some((key) => Object.hasOwn(rest, key))
  const isClassic =
    /^yarn@1\./.test(packageManager) ||
    (!packageManager && /^# yarn lockfile v1/m.test(await read('yarn.lock')))
  const installs: Record<string, string> = dictionary({
    npm: has('package-lock.json', 'npm-shrinkwrap.json') ? 'npm ci' : 'npm install --no-audit --no-fund',
    pnpm: 'pnpm install --frozen-lockfile',
    yarn: isClassic ? 'yarn install --frozen-lockfile' : 'yarn install --immutable',
    bun: 'bun install --frozen-lockfile',
  })
  const known = tool in installs ? tool : 'npm'
  const names = ['build', 'typecheck', 'lint', 'test'].filter(
    (name) => typeof scripts[name] === 'string' && !/no test specified/.test(scripts[name]),
  )
  return {
    setUp: needs || toolByLock(has, '') ? [{ run: installs[known]! }] : [],
    gates: names.map((name) => ({ name, run: `${known} run ${name}` })),
  }
}

function toolByLock(has: Folder['has'], otherwise = 'npm'): string {
  if (has('package-lock.json', 'npm-shrinkwrap.json')) return 'npm'
  if (has('pnpm-lock.yaml')) return 'pnpm'
  if (has('yarn.lock')) return 'yarn'
  return has('bun.lock', 'bun.lockb') ? 'bun' : otherwise
}

async function python({ has, read, names }: Folder): Promise<Found | null> {
  const requirements = [...names].filter((name) => /^requirements.*\.txt$/.test(name)).sort()
  if (!has('uv.lock', 'poetry.lock', 'pyproject.toml') && requirements.length === 0) return null
  const [project, setup, tox] = await Promise.all([
    read('pyproject.toml'),
    read('setup.cfg'),
    read('tox.ini'),
  ])
  const way = has('uv.lock')
    ? { setUp: 'uv sync --frozen', python: 'uv run --no-sync python' }
    : has('poetry.lock')
      ? { setUp: 'poetry sync', python: 'poetry run python' }
      : {
          setUp: `python3 -m venv .venv && .venv/bin/pip install ${requirements.length > 0 ? requirements.map((name) => `-r ${name}`).join(' ') : '-e .'}`,
          python: '.venv/bin/python',
        }
  const isFor = (tool: string) => new RegExp(`^\\[tool\\.${tool}\\b`, 'm').test(project)
  const usesPytest =
    has('pytest.ini', 'tests') ||
    isFor('pytest') ||
    /^\[tool:pytest\]/m.test(setup) ||
    /^\[pytest\]/m.test(tox)
  const report = '.signalbox-pytest.xml'
  const test = usesPytest
    ? {
        name: 'pytest',
        run: `${way.python} -m pytest --junitxml=${report}`,
        report: { kind: 'junit' as const, path: report },
      }
    : { name: 'unittest', run: `${way.python} -m unittest` }
  return {
    setUp: [{ run: way.setUp }],
    gates: [
      test,
      ...(has('ruff.toml', '.ruff.toml') || isFor('ruff')
        ? [{ name: 'ruff', run: `${way.python} -m ruff check` }]
        : []),
      ...(has('mypy.ini', '.mypy.ini') || isFor('mypy') || /^\[mypy\]/m.test(setup)
        ? [{ name: 'mypy', run: `${way.python} -m mypy .` }]
        : []),
    ],
  }
}

async function go({ has }: Folder): Promise<Found | null> {
  if (!has('go.mod')) return null
  return {
    setUp: [{ run: 'go mod download' }],
    gates: [
      { name: 'build', run: 'go build ./...' },
      { name: 'vet', run: 'go vet ./...' },
      { name: 'test', run: 'go test -json ./...', report: { kind: 'go', path: null } },
    ],
  }
}

async function cargo({ has }: Folder): Promise<Found | null> {
  if (!has('Cargo.toml')) return null
  return {
    setUp: [{ run: 'cargo fetch --locked' }],
    gates: [
      { name: 'build', run: 'cargo build --locked --all-targets' },
      { name: 'test', run: 'cargo test --locked' },
      ...(has('rustfmt.toml', '.rustfmt.toml') ? [{ name: 'fmt', run: 'cargo fmt --check' }] : []),
    ],
  }
}

/** These two bring what they need while they build, so their gates reach the registries. */
async function maven({ has }: Folder): Promise<Found | null> {
  if (!has('pom.xml')) return null
  const report = { kind: 'junit' as const, path: '**/target/surefire-reports/*.xml' }
  const tool = has('mvnw') ? './mvnw' : 'mvn'
  return {
    setUp: [],
    gates: [{ name: 'verify', run: `${tool} -B -ntp verify`, report, network: 'registries' }],
  }
}

async function gradle({ has }: Folder): Promise<Found | null> {
  if (!has(/^(build|settings)\.gradle(\.kts)?$/)) return null
  const report = { kind: 'junit' as const, path: '**/build/test-results/*/*.xml' }
  const tool = has('gradlew') ? './gradlew' : 'gradle'
  return {
    setUp: [],
    gates: [{ name: 'check', run: `${tool} --no-daemon check`, report, network: 'registries' }],
  }
}

async function dotnet({ has }: Folder): Promise<Found | null> {
  if (!has(/\.(sln|slnx|csproj)$/)) return null
  return {
    setUp: [{ run: has('packages.lock.json') ? 'dotnet restore --locked-mode' : 'dotnet restore' }],
    gates: [
      { name: 'build', run: 'dotnet build --no-restore' },
      { name: 'test', run: 'dotnet test --no-build' },
    ],
  }
}

const wanted = ['build', 'lint', 'check', 'test']

/** Found by reading the text: asking the tool itself would execute what is written there. */
async function targets({ has, read }: Folder): Promise<Found | null> {
  const files = [
    { file: has('Makefile', 'makefile', 'GNUmakefile'), tool: 'make', named: inMakefile },
    { file: has('justfile', 'Justfile', '.justfile'), tool: 'just', named: inMakefile },
    { file: has('Taskfile.yml', 'Taskfile.yaml'), tool: 'task', named: inTaskfile },
  ]
  for (const { file, tool, named } of files) {
    if (!file) continue
    const found = named(await read(file))
    return {
      setUp: [],
      gates: wanted.filter((name) => found.has(name)).map((name) => ({ name, run: `${tool} ${name}` })),
    }
  }
  return null
}

const inMakefile = (text: string) =>
  new Set(
    [...text.matchAll(/^([A-Za-z0-9_.-]+)(?: [^:=\r\n\u2028\u2029]*)?:(?!=)/gm)].flatMap((match) =>
      match[1]!.split(/\s+/),
    ),
  )

function inTaskfile(text: string): Set<string> {
  try {
    return new Set(Object.keys(parse(text, { maxAliasCount: 50 })?.tasks ?? {}))
  } catch {
    return new Set()
  }
}

function parsedJson(text: string): {
  scripts?: Record<string, string>
  packageManager?: string
  [key: string]: unknown
} {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

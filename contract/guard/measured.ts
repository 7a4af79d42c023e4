import { coveredBy } from '../denied-paths.ts'

/** What decides how a change is measured: whoever reads it should know that it was changed. */
const measures: [what: string, globs: string[]][] = [
  ['the definition of the gates', ['.kanman/gates.yml', '.kanman/gates.yaml']],
  [
    'checks of the git host',
    [
      '.github/workflows/**',
      '.github/actions/**',
      '.gitlab-ci.yml',
      '.gitlab/**',
      '.gitea/workflows/**',
      '.forgejo/workflows/**',
      '.circleci/**',
      '.buildkite/**',
      '.woodpecker/**',
      '.woodpecker.y*ml',
      '.drone.yml',
      '.travis.yml',
      '.semaphore/**',
      'Jenkinsfile*',
      'azure-pipelines*.yml',
      '.azure-pipelines/**',
      'bitbucket-pipelines.yml',
      'appveyor.yml',
      'cloudbuild.y*ml',
    ],
  ],
  [
    'how the project is built and checked',
    [
      '**/Makefile',
      '**/GNUmakefile',
      '**/justfile',
      '**/Taskfile.y*ml',
      '**/*.mk',
      '**/tox.ini',
      '**/noxfile.py',
    ],
  ],
  [
    'how tests or linters are set up',
    [
      '**/vitest.config.*',
      '**/vitest.workspace.*',
      '**/jest.config.*',
      '**/jest.setup.*',
      '**/playwright.config.*',
      '**/cypress.config.*',
      '**/karma.conf.*',
      '**/.mocharc*',
      '**/.nycrc*',
      '**/.c8rc*',
      '**/codecov.y*ml',
      '**/.coveragerc',
      '**/pytest.ini',
      '**/conftest.py',
      '**/setup.cfg',
      '**/mypy.ini',
      '**/.ruff.toml',
      '**/ruff.toml',
      '**/.flake8',
      '**/.pylintrc',
      '**/tsconfig*.json',
      '**/biome.json*',
      '**/eslint.config.*',
      '**/.eslintrc*',
      '**/.eslintignore',
      '**/.prettierignore',
      '**/.golangci.y*ml',
      '**/clippy.toml',
      '**/.clippy.toml',
      '**/rustfmt.toml',
      '**/phpunit.xml*',
      '**/.rspec',
      '**/.husky/**',
      '**/.pre-commit-config.yaml',
      '**/lefthook.yml',
    ],
  ],
]

/** What of it a path is; null: nothing. */
export function measuredBy(path: string): string | null {
  return measures.find(([, globs]) => coveredBy([path], globs).length > 0)?.[0] ?? null
}

const tests = [
  /(^|\/)(tests?|specs?|__tests__|e2e|testing)\//i,
  /[._-](test|spec)s?\.[a-z0-9]+$/i,
  /(^|\/)test_[^/]+\.[a-z]+$/i,
  /_test\.[a-z]+$/i,
  /Tests?\.(java|kt|kts|cs|fs|swift|php|scala|groovy)$/,
]

export const isTest = (path: string): boolean => tests.some((form) => form.test(path))

const skips = new RegExp(
  [
    String.raw`\b(?:it|test|describe|suite|context|specify)\.(?:skip|only|todo|failing|fixme)\b`,
    String.raw`\b(?:x|f)(?:it|describe|test|context)\s*\(`,
    String.raw`\b(?:t|this)\.skip\(`,
    String.raw`[{,]\s*(?:skip|todo|only):\s*(?:true|['"\x60])`,
    String.raw`\bpytest\.(?:mark\.(?:skip|xfail)|skip|xfail|importorskip)`,
    String.raw`@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b`,
    String.raw`\bself\.skipTest\(`,
    String.raw`@(?:Disabled|Ignore|DisabledIf|EnabledIf)\b`,
    String.raw`\.Skip(?:f|Now)?\(`,
    String.raw`#\[ignore`,
    String.raw`\(Skip\s*=|\[Ignore`,
    String.raw`\bmarkTest(?:Skipped|Incomplete)\(`,
  ].join('|'),
  'g',
)

/** How often a file of tests says that one of them is not to be run, or only that one. */
export const skipsIn = (text: string): number => text.match(skips)?.length ?? 0

/** What a package runs by its scripts, and with what; as a text that is the same when nothing changed. */
export function scriptsIn(text: string): string | null {
  try {
    const { scripts, packageManager, jest, mocha, ava, c8, nyc, workspaces } = JSON.parse(text)
    return JSON.stringify({ scripts, packageManager, jest, mocha, ava, c8, nyc, workspaces })
  } catch {
    return null
  }
}

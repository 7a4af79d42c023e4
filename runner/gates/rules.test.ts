import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planByRules } from './rules.ts'

/** `folder: run`, in one line each. */
async function planned(files: Record<string, string>) {
  const plan = await planByRules({ paths: Object.keys(files), read: async (path) => files[path] ?? null })
  const lines = (steps: typeof plan.gates) =>
    steps.map(({ folder, run }) => (folder === '.' ? run : `${folder}: ${run}`))
  return { from: plan.from, setUp: lines(plan.setUp), gates: lines(plan.gates), plan }
}

const scripts = (all: Record<string, string>, more: object = {}) =>
  JSON.stringify({ scripts: all, devDependencies: { x: '1' }, ...more })

test('a package runs those of its scripts that measure it, with the tool that it names or whose lock it has', async () => {
  const all = { build: 'x', typecheck: 'x', lint: 'x', test: 'x', start: 'x' }
  const cases: [files: Record<string, string>, setUp: string, runs: string][] = [
    [{ 'package-lock.json': '' }, 'npm ci', 'npm run'],
    [{ 'pnpm-lock.yaml': '' }, 'pnpm install --frozen-lockfile', 'pnpm run'],
    [{ 'yarn.lock': '__metadata:' }, 'yarn install --immutable', 'yarn run'],
    [{ 'yarn.lock': '# yarn lockfile v1' }, 'yarn install --frozen-lockfile', 'yarn run'],
    [{ 'bun.lock': '' }, 'bun install --frozen-lockfile', 'bun run'],
    [{}, 'npm install --no-audit --no-fund', 'npm run'],
  ]
  for (const [files, setUp, runs] of cases) {
    const found = await planned({ 'package.json': scripts(all), ...files })
    assert.deepEqual(found.setUp, [setUp])
    assert.deepEqual(
      found.gates,
      ['build', 'typecheck', 'lint', 'test'].map((name) => `${runs} ${name}`),
    )
    assert.equal(found.plan.setUp[0]!.network, 'registries')
    assert.equal(found.plan.gates[0]!.network, 'none')
  }
  const named = await planned({
    'package.json': scripts(all, { packageManager: 'pnpm@9.0.0' }),
    'package-lock.json': '',
  })
  assert.deepEqual(named.setUp, ['pnpm install --frozen-lockfile'])
})

test('a placeholder is no test, and what needs nothing installs nothing', async () => {
  const found = await planned({
    'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1","build":"x"}}',
  })
  assert.deepEqual([found.setUp, found.gates], [[], ['npm run build']])
})

test('Python is known by its lock, its requirements or its project', async () => {
  const uv = await planned({
    'uv.lock': '',
    'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n',
  })
  assert.deepEqual(uv.setUp, ['uv sync --frozen'])
  assert.deepEqual(uv.gates, [
    'uv run --no-sync python -m pytest --junitxml=.signalbox-pytest.xml',
    'uv run --no-sync python -m ruff check',
    'uv run --no-sync python -m mypy .',
  ])
  const poetry = await planned({ 'poetry.lock': '', 'tests/test_a.py': '' })
  assert.deepEqual(poetry.setUp, ['poetry sync'])
  assert.match(poetry.gates[0]!, /^poetry run python -m pytest/)
  const plain = await planned({ 'requirements.txt': '', 'requirements-dev.txt': '', 'a.py': '' })
  assert.deepEqual(plain.setUp, [
    'python3 -m venv .venv && .venv/bin/pip install -r requirements-dev.txt -r requirements.txt',
  ])
  assert.deepEqual(plain.gates, ['.venv/bin/python -m unittest'])
})

test('Go, Rust, Maven, Gradle and .NET have theirs', async () => {
  const go = await planned({ 'go.mod': '' })
  assert.deepEqual(go.setUp.concat(go.gates), [
    'go mod download',
    'go build ./...',
    'go vet ./...',
    'go test -json ./...',
  ])
  const cargo = await planned({ 'Cargo.toml': '', 'rustfmt.toml': '' })
  assert.deepEqual(cargo.setUp.concat(cargo.gates), [
    'cargo fetch --locked',
    'cargo build --locked --all-targets',
    'cargo test --locked',
    'cargo fmt --check',
  ])
  assert.deepEqual((await planned({ 'pom.xml': '', mvnw: '' })).gates, ['./mvnw -B -ntp verify'])
  assert.deepEqual((await planned({ 'pom.xml': '' })).gates, ['mvn -B -ntp verify'])
  assert.deepEqual((await planned({ 'build.gradle.kts': '', gradlew: '' })).gates, [
    './gradlew --no-daemon check',
  ])
  const dotnet = await planned({ 'X.slnx': '', 'packages.lock.json': '' })
  assert.deepEqual(dotnet.setUp.concat(dotnet.gates), [
    'dotnet restore --locked-mode',
    'dotnet build --no-restore',
    'dotnet test --no-build',
  ])
})

test('targets are found by reading, in an order of their own, and only where nothing else is', async () => {
  const makefile =
    'CHECK := $(shell touch /tmp/executed)\n.PHONY: test build\ntest: build\n\tx\nbuild:\n\tx\nchecker:\n\tx\nlint:=no\n'
  assert.deepEqual((await planned({ Makefile: makefile })).gates, ['make build', 'make test'])
  assert.deepEqual((await planned({ justfile: 'test *args:\n  x\ncheck:\n  x\n' })).gates, [
    'just check',
    'just test',
  ])
  assert.deepEqual((await planned({ 'Taskfile.yml': 'tasks:\n  lint: {}\n  other: {}\n' })).gates, [
    'task lint',
  ])
  assert.deepEqual((await planned({ Makefile: makefile, 'go.mod': '' })).from, 'go.mod')
})

test('without a project at the root, those one level down count, each in its folder', async () => {
  const found = await planned({
    'README.md': '',
    'web/package.json': scripts({ test: 'x' }),
    'web/package-lock.json': '',
    'api/go.mod': '',
    'api/deep/package.json': scripts({ test: 'x' }),
    '.hidden/go.mod': '',
  })
  assert.equal(found.from, 'api: go.mod, web: package.json')
  assert.deepEqual(found.gates, [
    'api: go build ./...',
    'api: go vet ./...',
    'api: go test -json ./...',
    'web: npm run test',
  ])
  assert.deepEqual(found.plan.gates.at(-1)!.name, 'web: test')
})

test('nothing that is known is no gate', async () => {
  assert.deepEqual((await planned({ 'README.md': '' })).plan, { setUp: [], gates: [], from: null })
})

import { cp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { bundle } from './bundle.ts'
import manifest from './package.json' with { type: 'json' }

/**
 * `npm run build:runner`: a package that is installed alone, two programs and what they put into boxes, and nothing that
 * they need. `npm pack ./runner/dist` makes the archive that npx takes. Another folder may be named.
 */
const dist = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, 'dist'))
const programs = {
  'signalbox-runner': 'main.ts',
  'signalbox-runner-conformance': 'conformance/command/main.ts',
}

for (const [name, entry] of Object.entries(programs)) await bundle(entry, path.join(dist, `${name}.mjs`))
// What runs inside of a box is copied into it as a file.
for (const folder of ['agents', 'git'])
  await cp(path.join(import.meta.dirname, folder, 'inside'), path.join(dist, 'inside'), { recursive: true })
await cp(path.join(import.meta.dirname, 'box', 'forward.mjs'), path.join(dist, 'forward.mjs'))
await cp(path.join(import.meta.dirname, '..', 'LICENSE'), path.join(dist, 'LICENSE'))
await writeFile(
  path.join(dist, 'README.md'),
  `# signalbox-runner

Runs Signalbox work on your own machine: git, a coding agent and a box around it. Node 24 or later.

    SERVICE_API_KEY=tk_… npx signalbox-runner --url https://signalbox.example.com
    npx signalbox-runner doctor

\`signalbox-runner --help\` lists the options. Your server links to the manual.
`,
)
const { name, version, description, license, type, engines } = manifest
const bin = Object.fromEntries(Object.keys(programs).map((program) => [program, `${program}.mjs`]))
await writeFile(
  path.join(dist, 'package.json'),
  `${JSON.stringify({ name, version, description, license, type, engines, bin }, null, 2)}\n`,
)

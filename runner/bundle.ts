import { readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import path from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import manifest from './package.json' with { type: 'json' }
import { ownPrograms } from './programs/texts.ts'

const sources = import.meta.dirname

/** One file with everything in it, which node runs as it is. */
export async function bundle(entry: string, file: string): Promise<void> {
  const bundled = await rolldown({
    cwd: sources,
    input: path.join(sources, entry),
    platform: 'node',
    treeshake: true,
    plugins: [withPrograms, forAnyNode],
    // An older Node has to be able to read the file, so that it can say what is missing.
    transform: { target: 'node18' },
  })
  await bundled.write({
    file,
    format: 'esm',
    codeSplitting: false,
    minify: false,
  })
  await chmod(file, 0o755)
}

/** What runs inside of a box is part of the file. */
const withPrograms: Plugin = {
  name: 'programs',
  load(id) {
    if (id !== path.join(sources, 'programs', 'texts.ts')) return null
    const texts = Object.fromEntries(
      ownPrograms.map((name) => [name, readFileSync(path.join(sources, name), 'utf8')]),
    )
    return `export const texts = ${JSON.stringify(texts)}`
  },
}

const least = Number.parseInt(manifest.engines.node.replace('>=', ''), 10)

const nodeCheck = `#!/usr/bin/env node
if (Number.parseInt(process.versions.node, 10) < ${least}) {
  process.stderr.write(
    \`The runner needs Node ${least} or later; this is \${process.versions.node}. Install a newer Node and run the same command again.\\n\`,
  )
  process.exit(2)
}
`

/** `import os, { constants } from "node:os";`, as the bundler writes it. */
const nodeImport = /^import (?:(\w+), )?\{ ([\w $,]+) \} from "(node:[\w/]+)";$/

/**
 * A name that a module of Node's does not export yet is refused before a line of ours runs. As properties of the module
 * they are looked up when they are used, so that what comes first can say which Node is needed.
 */
const forAnyNode: Plugin = {
  name: 'for-any-node',
  renderChunk(code) {
    let count = 0
    // Line by line: only a whole line is an import of ours.
    const looked = code.split('\n').map((line) => {
      const [, whole, names, module] = nodeImport.exec(line) ?? []
      if (!names || !module) return line
      const space = `node_${count++}`
      const all = [...(whole ? [`default as ${whole}`] : []), ...names.split(', ')]
      const taken = all.map((name) => name.split(' as ').join(': ')).join(', ')
      return `import * as ${space} from "${module}";\nconst { ${taken} } = ${space};`
    })
    return nodeCheck + looked.join('\n')
  },
}

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache, registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * What makes a start quick, imported before everything else. Most of a start was opening files: types are taken out of
 * ours once, and the libraries that come as hundreds of files are read from the few that `server/build.ts` made of them.
 * Nothing depends on it: what was not built is loaded from where npm put it.
 */

const repository = path.join(import.meta.dirname, '..')
const cache = path.join(repository, 'node_modules', '.cache')

// Not in the shared temporary folder, where others could leave us code.
enableCompileCache(path.join(cache, 'compile'))

/** What is imported, and the file it is imported from. */
export const libraries: Record<string, string> = {
  kysely: 'kysely.js',
  typebox: 'typebox.js',
  'typebox/compile': 'typebox-compile.js',
  'typebox/value': 'typebox-value.js',
}

/** Named after what npm installed, so that no older version is taken. */
export const librariesFolder = path.join(
  cache,
  'libraries',
  createHash('sha256')
    .update(readFileSync(path.join(repository, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16),
)

if (existsSync(librariesFolder))
  registerHooks({
    resolve(name, context, next) {
      const file = libraries[name]
      if (!file) return next(name, context)
      return { url: pathToFileURL(path.join(librariesFolder, file)).href, shortCircuit: true }
    },
  })

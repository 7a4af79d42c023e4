import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache, registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * What makes a start quick, imported before everything else. Most of a start was finding and opening files: types are
 * taken out of ours once, an import of ours says where the file is, and the libraries that come as hundreds of files are
 * read from the few that `server/build.ts` made of them. Nothing depends on it: what was not built is loaded from where
 * npm put it.
 */

const repository = path.join(import.meta.dirname, '..')
const cache = path.join(repository, 'node_modules', '.cache')

// Not in the shared temporary folder, where others could leave us code.
enableCompileCache(path.join(cache, 'compile'))

/** What is imported, and the file it is imported from. All are ES modules: their names survive being bundled. */
export const libraries: Record<string, string> = {
  '@better-auth/passkey': 'better-auth-passkey.js',
  'better-auth': 'better-auth.js',
  'better-auth/api': 'better-auth-api.js',
  'better-auth/db/adapter': 'better-auth-adapter.js',
  'better-auth/plugins': 'better-auth-plugins.js',
  nodemailer: 'nodemailer.js',
  'pg-boss': 'pg-boss.js',
  typebox: 'typebox.js',
  'typebox/compile': 'typebox-compile.js',
  'typebox/value': 'typebox-value.js',
}

/** Named after the list, how they are written and what npm installed, so that no older version is taken. */
export const librariesFolder = path.join(
  cache,
  'libraries',
  createHash('sha256')
    .update(`${Object.keys(libraries).join()} without white space`)
    .update(readFileSync(path.join(repository, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16),
)

const built = existsSync(librariesFolder)
const ours = pathToFileURL(`${repository}/`).href
const contract = '@signalbox/contract/'

registerHooks({
  resolve(name, context, next) {
    if (name.endsWith('.ts')) {
      // Written out in full, so there is nothing to look for: no stat, no package.json of every folder above.
      const from = context.parentURL
      if (name.startsWith('.') && from?.startsWith(ours) && !from.includes('/node_modules/'))
        return { url: new URL(name, from).href, format: 'module-typescript', shortCircuit: true }
      if (name.startsWith(contract)) {
        const url = new URL(`contract/${name.slice(contract.length)}`, ours).href
        return { url, format: 'module-typescript', shortCircuit: true }
      }
    }
    const file = built ? libraries[name] : undefined
    if (!file) return next(name, context)
    return { url: pathToFileURL(path.join(librariesFolder, file)).href, shortCircuit: true }
  },
})

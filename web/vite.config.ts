import path from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'

interface Screen {
  path: string
  modules: string[]
  /** Where there is room for two panes, these too. */
  whereWide?: string[]
  reads: string[]
}

/** What the screens that people open most begin with: their code and, as the address names it, what they read first. */
const screens: Screen[] = [
  { path: '/login', modules: ['sign-in/login.tsx'], reads: ['/api/sign-in'] },
  {
    path: '/([^/]+)/inbox',
    modules: ['decisions/inbox.tsx'],
    whereWide: ['decisions/inbox-pane.tsx'],
    reads: ['/api/w/$1/decisions.list?status=pending&snoozed=false&limit=500'],
  },
  {
    path: '/([^/]+)/teams/([^/]+)/board',
    modules: ['teams/team.tsx', 'stories/board.tsx'],
    reads: ['/api/w/$1/teams.read?team=$2', '/api/w/$1/stories.board?team=$2'],
  },
  { path: '/([^/]+)/runs/([^/]+)', modules: ['runs/run.tsx'], reads: ['/api/w/$1/runs.read?key=$2'] },
  {
    path: '/([^/]+)/incidents/([^/]+)',
    modules: ['incidents/incident.tsx'],
    reads: ['/api/w/$1/incidents.read?incident=$2'],
  },
]

/** What opens over any screen: fetched once there is nothing else to do, and run when it is first opened. */
const overScreens = [
  'ui/toasts.tsx',
  'ui/menu-opened.tsx',
  'ui/dialog-shown.tsx',
  'ui/tooltip-hovering.tsx',
  'shell/more-sheet.tsx',
  'shell/palette.tsx',
  'shell/help.tsx',
  'notifications/panel.tsx',
]

const linkTo = (href: string, attrs: Record<string, string>): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { ...attrs, href, crossorigin: true },
  injectTo: 'head',
})

/**
 * A screen's code and what it reads are fetched along with the app, not after it: `public/early.js` knows the address
 * and finds the names here. None of it keeps the styles and the font waiting, so that the page is painted first.
 */
const fetchEarly: Plugin = {
  name: 'fetch-early',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const files = Object.values(bundle)
      const font = files.find((file) => /geist-latin-wght[^/]*\.woff2$/.test(file.fileName))
      const codeOf = (modules: string[]): string[] => {
        const needed = new Set<string>()
        const need = (name: string) => {
          const file = bundle[name]
          if (needed.has(name) || file?.type !== 'chunk') return
          needed.add(name)
          for (const other of file.imports) need(other)
        }
        for (const module of modules) {
          const chunk = files.find(
            (file) => file.type === 'chunk' && file.facadeModuleId?.endsWith(`/src/${module}`),
          )
          if (chunk) need(chunk.fileName)
        }
        return [...needed].filter((name) => !html.includes(name)).map((name) => `/${name}`)
      }
      const app = codeOf(['app.tsx'])
      const beyondApp = (modules: string[]) =>
        codeOf(modules)
          .filter((name) => !app.includes(name))
          .join(' ')
      const meta = ({ path, modules, whereWide, reads }: Screen) => {
        const wide = whereWide ? ` data-wide="${beyondApp([...modules, ...whereWide])}"` : ''
        const asked = reads.join(' ').replaceAll('&', '&amp;')
        return `<meta name="screen" data-path="${path}" data-reads="${asked}" content="${beyondApp(modules)}"${wide} />\n    `
      }
      const later = `<meta name="later" content="${beyondApp(overScreens)}" />\n    `
      const early = '<script src="/early.js">'
      return {
        html: html
          .replace(early, () => screens.map(meta).join('') + later + early)
          .replace('<script type="module"', '<script type="module" fetchpriority="low"')
          .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"'),
        tags: [
          ...(font ? [linkTo(`/${font.fileName}`, { rel: 'preload', as: 'font', type: 'font/woff2' })] : []),
          // What the page's script imports once it runs.
          ...app.map((href) => linkTo(href, { rel: 'modulepreload', fetchpriority: 'low' })),
        ],
      }
    },
  },
}

/** `npm run dev:web` serves the app with hot reload and passes its API on to a server on the usual port. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), fetchEarly],
  build: {
    outDir: path.join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // The content security policy takes no data: fonts or images in place of files.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    manifest: 'manifest.json',
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What everything imports: wherever else it stood, the first screen would fetch that with it.
            {
              name: 'react',
              test: /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store)[\\/]/,
              priority: 3,
            },
            // A chunk for every icon and every part would be a hundred requests.
            { name: 'icons', test: /node_modules[\\/]lucide-react/, priority: 2 },
            {
              name: 'parts',
              test: /web[\\/]src[\\/]((ui|api)[\\/](?!markdown-rendered|remedied|menu-opened|dialog-shown|toasts|tooltip-hovering|rotating-secret|secret-field|table|listed|filters)|words[\\/]|teams[\\/](team-name|no-team))/,
              priority: 1,
            },
            // The inbox has a list of its own.
            { name: 'lists', test: /web[\\/]src[\\/]ui[\\/](table|listed|filters)/ },
            // What opens over a screen comes when it is opened, or before, once there is nothing else to do.
            {
              name: 'dialogs',
              test: /web[\\/]src[\\/]ui[\\/](menu-opened|dialog-shown|tooltip-hovering)/,
            },
          ],
        },
      },
    },
  },
  server: { port: 4410, proxy: { '/api': 'http://127.0.0.1:4400', '/v1': 'http://127.0.0.1:4400' } },
})

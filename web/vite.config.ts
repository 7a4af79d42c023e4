import path from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'

/**
 * The inbox is where people arrive: its code, with everything that code needs, is fetched along with the app, not after
 * it. Only by those who are inside: `public/early.js` knows by the address, and finds the names here.
 */
const fetchEarly: Plugin = {
  name: 'fetch-early',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const files = Object.values(bundle)
      const inbox = files.find(
        (file) => file.type === 'chunk' && file.facadeModuleId?.endsWith('/decisions/inbox.tsx'),
      )
      const font = files.find((file) => /geist-latin-wght[^/]*\.woff2$/.test(file.fileName))
      const needed = new Set<string>()
      const need = (name: string) => {
        const file = bundle[name]
        if (needed.has(name) || file?.type !== 'chunk') return
        needed.add(name)
        for (const other of file.imports) need(other)
      }
      if (inbox) need(inbox.fileName)
      const tag = (attrs: Record<string, string | boolean>): HtmlTagDescriptor => ({
        tag: 'link',
        attrs: { ...attrs, crossorigin: true },
        injectTo: 'head',
      })
      return [
        {
          tag: 'meta',
          attrs: {
            name: 'inbox-code',
            content: [...needed]
              .filter((name) => !html.includes(name))
              .map((name) => `/${name}`)
              .join(' '),
          },
          // Before the script that reads it.
          injectTo: 'head-prepend',
        },
        ...(font ? [tag({ rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font.fileName}` })] : []),
      ]
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
            // A chunk for every icon and every part would be a hundred requests.
            { name: 'icons', test: /node_modules[\\/]lucide-react/, priority: 2 },
            {
              name: 'parts',
              test: /web[\\/]src[\\/](ui|api)[\\/](?!markdown-rendered|remedied|menu|dialog|form-dialog|toasts|rotating-secret|secret-field|table|listed|filters)/,
              priority: 1,
            },
            // The inbox has a list of its own.
            { name: 'lists', test: /web[\\/]src[\\/]ui[\\/](table|listed|filters)/ },
            // What opens over a screen comes when it is opened, or before, once there is nothing else to do.
            {
              name: 'dialogs',
              test: /web[\\/]src[\\/]ui[\\/](menu|dialog|form-dialog|rotating-secret|secret-field)/,
            },
          ],
        },
      },
    },
  },
  server: { port: 4410, proxy: { '/api': 'http://127.0.0.1:4400', '/v1': 'http://127.0.0.1:4400' } },
})

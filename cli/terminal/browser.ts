import { spawn } from 'node:child_process'

/** Opens the address, where there is a browser; where there is none, the person has seen the address. */
export function openBrowser(url: string): void {
  const [program, ...args] = programOf(url)
  const child = spawn(program!, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

function programOf(url: string): string[] {
  if (process.env.BROWSER) return [process.env.BROWSER, url]
  if (process.platform === 'darwin') return ['open', url]
  // Not `start`, which is part of a shell that would read the address.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return ['xdg-open', url]
}

import { access, constants } from 'node:fs/promises'

/** It speaks to nobody but us, and root cannot have its sandbox. */
const quiet = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** From a machine's own packages, where npm has no browser for it. */
const installed = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** A browser on this machine and what it must be started with; null where there is none. */
export async function findBrowser(): Promise<{ path: string; args: string[] } | null> {
  const given = process.env.CHROMIUM_PATH
  if (given) return { path: given, args: quiet }
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { default: packed } = await import('@sparticuz/chromium')
    return { path: await packed.executablePath(), args: [...packed.args, ...quiet] }
  }
  for (const path of installed) {
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return { path, args: quiet }
  }
  return null
}
